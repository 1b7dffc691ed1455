// List the latest queued episodes of a group, with any status.
//
// access  read
// param   group_id : STRING — the tenant
// param   statuses : LIST<STRING>? — any of these; null for all
// param   limit    : INTEGER
// returns job_id     : STRING
// returns group_id   : STRING
// returns name       : STRING
// returns status     : STRING — queued, running, done or failed
// returns attempts   : INTEGER
// returns error      : STRING? — reason why the last attempt failed
// returns episode_id : STRING? — set once the episode is written
// returns entities   : INTEGER? — entities mentioned
// returns facts      : INTEGER? — facts held
// returns created_at : STRING
// returns updated_at : STRING
MATCH (job:EpisodeJob {group_id: $group_id})
WHERE job.position > 0 AND ($statuses IS NULL OR job.status IN $statuses)
WITH job ORDER BY job.position DESC LIMIT $limit
// include graphiti/queue/describe
ORDER BY job.position DESC
