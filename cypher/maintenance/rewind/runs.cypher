// List the runs after an instant, the latest first.
//
// access  read
// param   until : STRING — ISO 8601, UTC
// returns run_id : STRING
// returns now    : STRING
// returns status : STRING
MATCH (run:MaintenanceRun)
WHERE run.now > $until
RETURN run.run_id AS run_id, run.now AS now, run.status AS status
ORDER BY run.now DESC, run.started_at DESC, run_id
