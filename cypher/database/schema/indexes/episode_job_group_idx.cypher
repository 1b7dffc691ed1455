// Find episode jobs by group, in order.
//
// access  schema
CREATE INDEX episode_job_group_idx IF NOT EXISTS
FOR (n:EpisodeJob)
ON (n.group_id, n.position)
