// Note why an episode could not be read, and whether it is tried again.
//
// access  write
// param   group_id   : STRING — the tenant
// param   job_id     : STRING
// param   owner      : STRING — who tried
// param   attempts   : INTEGER — that count
// param   status     : STRING — queued or failed
// param   error      : STRING? — why; null: it was not its fault
// param   not_before : STRING — when to try again, ISO 8601, UTC
// param   now        : STRING — ISO 8601, UTC
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id AND job.owner = $owner AND job.status = 'running'
SET job.status = $status, job.attempts = $attempts, job.error = coalesce($error, job.error),
    job.not_before = $not_before, job.owner = null, job.lease_until = null, job.updated_at = $now
