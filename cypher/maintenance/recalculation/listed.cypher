// Treat memories by their ids, due or not.
//
// Memories that were treated at this instant are left out.
//
// access  batch
// param   memory_ids  : LIST<STRING>
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — memory_id and reason
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id})
WHERE m.lifecycle_state <> 'SOFT_DELETED'
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
