// Treat all memories of a range of ids, due or not.
//
// Memories that were treated at this instant are left out.
//
// access  batch
// param   after_id    : STRING — the range begins after it
// param   last_id     : STRING — the last of the range
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — memory_id and reason
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
CALL (m) {
  // include maintenance/stages/treat
} IN $concurrency CONCURRENT TRANSACTIONS OF $batch ROWS
  ON ERROR CONTINUE REPORT STATUS AS status
// include maintenance/stages/outcome
RETURN done, failed
