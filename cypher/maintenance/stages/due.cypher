// Treat the memories that are due, the most overdue first.
//
// Memories that were treated at this instant are left out.
//
// access  batch
// param   now         : STRING — ISO 8601, UTC
// param   limit       : INTEGER — memories at most
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — memory_id and reason
MATCH (m:Memory)
WHERE m.next_due_at <= $now AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
WITH m ORDER BY m.next_due_at LIMIT $limit
CALL (m) {
  // include maintenance/stages/treat
} IN $concurrency CONCURRENT TRANSACTIONS OF $batch ROWS
  ON ERROR CONTINUE REPORT STATUS AS status
// include maintenance/stages/outcome
RETURN done, failed
