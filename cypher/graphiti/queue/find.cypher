// Fetch a queued episode.
//
// access  read
// param   group_id : STRING — the tenant
// param   job_id   : STRING
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
MATCH (job:EpisodeJob {job_id: $job_id})
WHERE job.group_id = $group_id
// include graphiti/queue/describe
