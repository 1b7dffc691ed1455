// List the latest episodes of a group, whatever became of them.
//
// access  read
// param   group_id : STRING — the tenant
// param   statuses : LIST<STRING>? — only with one of these
// param   limit    : INTEGER
// returns job_id     : STRING
// returns group_id   : STRING
// returns name       : STRING
// returns status     : STRING — queued, running, done or failed
// returns attempts   : INTEGER
// returns error      : STRING? — why the last attempt failed
// returns episode_id : STRING? — once it is written
// returns entities   : INTEGER? — that it mentions
// returns facts      : INTEGER? — that it holds
// returns created_at : STRING
// returns updated_at : STRING
MATCH (job:EpisodeJob {group_id: $group_id})
WHERE job.position > 0 AND ($statuses IS NULL OR job.status IN $statuses)
WITH job ORDER BY job.position DESC LIMIT $limit
// include graphiti/queue/describe
ORDER BY job.position DESC
