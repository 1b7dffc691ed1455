// Record why an episode could not be read, and queue it again or fail it.
//
// access  write
// param   group_id   : STRING — the tenant
// param   job_id     : STRING
// param   owner      : STRING — process that tried
// param   attempts   : INTEGER — attempts so far
// param   status     : STRING — queued or failed
// param   error      : STRING? — reason; null if the episode was only released
// param   not_before : STRING — next attempt, ISO 8601, UTC
// param   now        : STRING — ISO 8601, UTC
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
SET job.status = $status, job.attempts = $attempts, job.error = coalesce($error, job.error),
    job.not_before = $not_before, job.owner = null, job.lease_until = null, job.updated_at = $now
