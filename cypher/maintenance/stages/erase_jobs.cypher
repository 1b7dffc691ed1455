// Erase the queued episodes that were read, or given up, long ago.
//
// access  batch
// param   groups        : LIST<STRING>? — null: all
// param   ended_before  : STRING — ISO 8601, UTC
// param   batch         : INTEGER — in one transaction
// returns erased : INTEGER
MATCH (job:EpisodeJob)
WHERE job.status IN ['done', 'failed'] AND job.updated_at <= $ended_before
  AND ($groups IS NULL OR job.group_id IN $groups)
CALL (job) {
  DELETE job
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
