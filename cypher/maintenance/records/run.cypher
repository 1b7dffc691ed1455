// Return the status, the instant and the groups of a run.
//
// access  read
// param   run_id : STRING
// returns status : STRING
// returns now    : STRING
// returns groups : LIST<STRING>?
MATCH (run:MaintenanceRun {run_id: $run_id})
RETURN run.status AS status, run.now AS now, run.groups AS groups
