// Purge memories that were deleted so long ago that they cannot be recovered.
//
// A purged memory loses its labels, so that only an undo finds it. The keys of its relations are
// set aside, so that the same relations can be created again. Each memory is locked and checked
// again.
//
// access  batch
// param   now            : STRING — ISO 8601, UTC
// param   decay          : MAP — the settings of decay
// param   deleted_before : STRING — ISO 8601, UTC
// param   limit          : INTEGER — memories at most
// param   batch          : INTEGER — memories in one transaction
// param   concurrency    : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — memory_id and reason
MATCH (m:Memory)
WHERE m.soft_deleted_at < $deleted_before AND m.lifecycle_state = 'SOFT_DELETED'
  AND coalesce(m.held_until <= $now, true)
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
WITH m ORDER BY m.soft_deleted_at LIMIT $limit
CALL (m) {
  // include fragments/memory/lock
  WHERE m.soft_deleted_at < $deleted_before AND m.lifecycle_state = 'SOFT_DELETED'
    AND coalesce(m.held_until <= $now, true)
  FOREACH (_ IN [1] |
    // include fragments/change/before
  )
  WITH m
  // include fragments/change/after
  SET change.purged = true, m:PurgedMemory, m.purged_at = $now, m.purged_by = $decay.run_id
  REMOVE m:Memory:Entity
  WITH m
  MATCH (m)-[r:RELATES_TO]-()
  SET r.purged_key = coalesce(r.edge_key, r.purged_key), r.edge_key = null
} IN $concurrency CONCURRENT TRANSACTIONS OF $batch ROWS
  ON ERROR CONTINUE REPORT STATUS AS status
// include maintenance/stages/outcome
RETURN done, failed
