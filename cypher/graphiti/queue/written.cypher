// Record in a job, in the transaction that writes the episode, that the episode is written.
//
// No row means that another process holds the job; the transaction must be rolled back.
//
// access  write
// param   group_id   : STRING — the tenant
// param   job_id     : STRING
// param   owner      : STRING — process that reads it
// param   episode_id : STRING
// returns noted : STRING
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
  AND job.episode_id IS NULL
SET job.episode_id = $episode_id
RETURN job.job_id AS noted
