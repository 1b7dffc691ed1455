// Save the progress of a run if it holds the lease, and return whether it does.
//
// access  write
// param   run_id           : STRING
// param   owner            : STRING — the owner of the lease
// param   status           : STRING — running, done, stopped or failed
// param   stages_done      : LIST<STRING>
// param   counts           : MAP — processed, soft_deleted, purged, compressed, classified,
//                            embedded, learned and errors
// param   transitioned     : STRING — JSON, from>to: number
// param   failed           : STRING — JSON, ids and reasons
// param   duration_seconds : FLOAT
// param   truncated        : BOOLEAN
// param   treated_to       : STRING — an id, or empty
// returns held   : BOOLEAN
// returns paused : BOOLEAN
MATCH (run:MaintenanceRun {run_id: $run_id})
OPTIONAL MATCH (lease:Control {key: 'maintenance', owner: $owner})
OPTIONAL MATCH (pause:Control {key: 'pause'})
FOREACH (_ IN CASE WHEN lease IS NULL THEN [] ELSE [1] END |
  SET
    run.status = $status,
    run.stages_done = $stages_done,
    run.processed = $counts.processed,
    run.soft_deleted = $counts.soft_deleted,
    run.purged = $counts.purged,
    run.compressed = $counts.compressed,
    run.classified = $counts.classified,
    run.embedded = $counts.embedded,
    run.learned = $counts.learned,
    run.errors = $counts.errors,
    run.transitioned = $transitioned,
    run.failed = $failed,
    run.duration_seconds = $duration_seconds,
    run.truncated = $truncated,
    run.treated_to = $treated_to
)
RETURN lease IS NOT NULL AS held, pause.since IS NOT NULL AS paused
