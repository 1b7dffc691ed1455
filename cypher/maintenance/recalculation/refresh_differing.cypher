// Do what recalculation/refresh does, but read the range first, and lock only what differs.
//
// Where all scores stay, this takes three quarters of the time: a read outside the transactions of
// the batches is cheaper. A memory that changes after it was read is not read again: the change
// stored its score.
//
// access  batch
// param   after_id    : STRING — the range begins after it
// param   last_id     : STRING — the last of the range
// returns done    : INTEGER — memories that need no more
// returns written : INTEGER — memories whose score or next date was stored
// returns left    : LIST<STRING> — ids of its other memories
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
// include decay/next_due
// include fragments/maintenance/compared
WITH collect(CASE WHEN differs OR NOT stays THEN m END) AS memories,
     count(CASE WHEN stays AND NOT differs THEN 1 END) AS unchanged
// include fragments/maintenance/refreshed
