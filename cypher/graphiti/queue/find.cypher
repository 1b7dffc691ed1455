// Find an episode to be read.
//
// access  read
// param   group_id : STRING — the tenant
// param   job_id   : STRING
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
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id
// include graphiti/queue/describe
