// Set the status of a run.
//
// access  write
// param   run_id : STRING
// param   status : STRING
MATCH (run:MaintenanceRun {run_id: $run_id})
SET run.status = $status
