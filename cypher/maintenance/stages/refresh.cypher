// Store the decay scores of a range of ids, for memories whose state stays.
//
// That is most memories, and they need no record. The statement stages/all treats the others, also
// those whose protection began or ended. Each memory is locked before it is read, as in
// stages/treat.
//
// access  batch
// param   now         : STRING — ISO 8601, UTC
// param   after_id    : STRING — the range begins after it
// param   last_id     : STRING — the last of the range
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — empty: stages/all tries again what fails here
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
CALL (m) {
  // include fragments/memory/lock
  // include decay/next_due
  WITH m, faded, due, protection, outcome
  WHERE outcome = m.lifecycle_state
    AND coalesce(m.is_protected, false) = (protection IS NOT NULL)
  SET m.decay_score = faded, m.last_decay_update = $now
  FOREACH (_ IN CASE WHEN due = m.next_due_at OR due IS NULL AND m.next_due_at IS NULL
                THEN [] ELSE [1] END | SET m.next_due_at = due)
} IN $concurrency CONCURRENT TRANSACTIONS OF $batch ROWS
  ON ERROR CONTINUE REPORT STATUS AS status
WITH m WHERE m.last_decay_update = $now
RETURN count(*) AS done, [] AS failed
