// List the groups with queued episodes, and when the next episode of each is due.
//
// access  read
// param   groups : LIST<STRING>? — only these; null for all; null for all
// param   now    : STRING — ISO 8601, UTC
// returns group_id : STRING
// returns due_at   : STRING — ISO 8601, UTC
MATCH (job:EpisodeJob)
WHERE job.status IN ['queued', 'running'] AND ($groups IS NULL OR job.group_id IN $groups)
WITH job ORDER BY job.group_id, job.position
WITH job.group_id AS group_id, head(collect(job)) AS job
WITH group_id,
  CASE job.status WHEN 'queued' THEN job.not_before ELSE job.lease_until END AS due_at
RETURN group_id, CASE WHEN due_at < $now THEN $now ELSE due_at END AS due_at
ORDER BY due_at, group_id
