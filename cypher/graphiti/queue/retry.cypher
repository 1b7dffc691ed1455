// Queue failed episodes of a group again, at their old places.
//
// access  write
// param   group_id : STRING — the tenant
// param   job_ids  : LIST<STRING>? — only these; null for all; null for all
// param   now      : STRING — ISO 8601, UTC
// returns job_id : STRING
MATCH (job:EpisodeJob {group_id: $group_id})
WHERE job.position > 0 AND job.status = 'failed' AND ($job_ids IS NULL OR job.job_id IN $job_ids)
SET job.status = 'queued', job.attempts = 0, job.not_before = $now, job.updated_at = $now
RETURN job.job_id AS job_id
