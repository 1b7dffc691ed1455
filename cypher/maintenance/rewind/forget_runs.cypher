// Erase the records of the runs after an instant, with what undo would restore.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — records in one transaction
CALL () {
  MATCH (run:MaintenanceRun)
  WHERE run.now > $until
  RETURN run AS n
UNION ALL
  MATCH (run:MaintenanceRun)
  WHERE run.now > $until
  MATCH (n:MaintenanceChange {run_id: run.run_id})
  RETURN n
UNION ALL
  MATCH (run:MaintenanceRun)
  WHERE run.now > $until
  MATCH (n:LearningChange {run_id: run.run_id})
  RETURN n
}
CALL (n) {
  DELETE n
} IN TRANSACTIONS OF $batch ROWS
