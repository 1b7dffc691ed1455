// Find episode jobs by status.
//
// access  schema
CREATE INDEX episode_job_status_idx IF NOT EXISTS
FOR (n:EpisodeJob)
ON (n.status)
