// Compute decay scores in a range of ids, and store what differs for memories whose state stays.
//
// That is most memories, and they need no record. The others are left, also those whose protection
// began or ended, and those whose transaction failed: recalculation/listed treats them. Each memory
// is locked before it is read, as in stages/treat. A transaction takes a list of memories, because
// a subquery for each memory takes a sixth longer.
//
// access  batch
// param   now         : STRING — ISO 8601, UTC
// param   after_id    : STRING — the range begins after it
// param   last_id     : STRING — the last of the range
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done    : INTEGER — memories of a transaction that need no more
// returns written : INTEGER — memories whose score or next date was stored
// returns left    : LIST<STRING> — ids of its other memories
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
WITH collect(m) AS memories
UNWIND range(0, size(memories) - 1, $batch) AS first
WITH memories[first..first + $batch] AS part
CALL (part) {
  UNWIND part AS m
  WITH m
  // include fragments/memory/lock
  // include decay/next_due
  // include fragments/maintenance/compared
  FOREACH (_ IN CASE WHEN stays AND differs THEN [1] ELSE [] END |
    SET m.decay_score = faded, m.last_decay_update = $now, m.next_due_at = due
  )
  RETURN count(CASE WHEN stays THEN 1 END) AS done,
         count(CASE WHEN stays AND differs THEN 1 END) AS written,
         collect(CASE WHEN NOT stays THEN m.uuid END) AS left
} IN $concurrency CONCURRENT TRANSACTIONS OF 1 ROW
  ON ERROR CONTINUE REPORT STATUS AS status
RETURN coalesce(done, 0) AS done, coalesce(written, 0) AS written,
       coalesce(left, [m IN part WHERE m.uuid IS NOT NULL | m.uuid]) AS left
