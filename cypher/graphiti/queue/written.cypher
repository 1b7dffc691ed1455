// Note in an episode's job, in the transaction that writes it, that it is written.
//
// No row: the job is another's by now, and the transaction must not go on.
//
// access  write
// param   group_id   : STRING — the tenant
// param   job_id     : STRING
// param   owner      : STRING — who works on it
// param   episode_id : STRING
// returns noted : STRING
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
  AND job.episode_id IS NULL
SET job.episode_id = $episode_id
RETURN job.job_id AS noted
