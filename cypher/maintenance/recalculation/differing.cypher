// Compute decay scores in a range of ids, and find the memories for which a run has work.
//
// It takes no locks and opens no transactions, so it needs two thirds of the time of `refresh`.
// A memory that changes while it is read is returned, unless its score was stored by the change.
//
// access  read
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns done    : INTEGER — memories whose score, next date and state stay
// returns written : INTEGER — 0
// returns left    : LIST<STRING> — ids of the other memories
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
// include decay/next_due
// include fragments/maintenance/compared
RETURN count(CASE WHEN stays AND NOT differs THEN 1 END) AS done, 0 AS written,
       collect(CASE WHEN differs OR NOT stays THEN m.uuid END) AS left
