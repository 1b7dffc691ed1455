// List runs, the latest first.
//
// access  read
// param   status : STRING? — only these
// param   limit  : INTEGER
// returns run_id           : STRING
// returns now              : STRING
// returns started_at       : STRING
// returns status           : STRING
// returns stages           : LIST<STRING>
// returns stages_done      : LIST<STRING>
// returns groups           : LIST<STRING>?
// returns canary           : INTEGER
// returns full             : BOOLEAN
// returns rules            : STRING
// returns policy           : STRING
// returns counts           : MAP
// returns transitioned     : MAP
// returns failed           : LIST<MAP>
// returns duration_seconds : FLOAT
// returns truncated        : BOOLEAN
// returns treated_to       : STRING
MATCH (run:MaintenanceRun)
WHERE $status IS NULL OR run.status = $status
WITH run ORDER BY run.started_at DESC, run.run_id LIMIT $limit
RETURN run.run_id AS run_id, run.now AS now, run.started_at AS started_at, run.status AS status,
       run.stages AS stages, run.stages_done AS stages_done, run.groups AS groups,
       run.canary AS canary, run.full AS full, run.rules AS rules, run.policy AS policy,
       run {.processed, .soft_deleted, .purged, .compressed, .classified, .embedded,
            .errors, learned: coalesce(run.learned, 0)} AS counts,
       run.transitioned AS transitioned, run.failed AS failed,
       run.duration_seconds AS duration_seconds, run.truncated AS truncated,
       coalesce(run.treated_to, '') AS treated_to
ORDER BY started_at DESC, run_id
