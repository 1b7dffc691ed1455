// Remove the tag `preserved` and its date from memories whose date has passed; they fade from it.
//
// Each memory is locked and checked again, as in stages/treat.
//
// access  batch
// param   now         : STRING — ISO 8601, UTC
// param   limit       : INTEGER — memories at most
// param   batch       : INTEGER — memories in one transaction
// param   concurrency : INTEGER — transactions at a time
// returns done   : INTEGER
// returns failed : LIST<MAP> — memory_id and reason
MATCH (m:Memory)
WHERE m.next_due_at <= $now AND m.preserve_until < $now AND m.lifecycle_state <> 'SOFT_DELETED'
  AND coalesce(m.held_until <= $now, true)
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
WITH m ORDER BY m.next_due_at LIMIT $limit
CALL (m) {
  // include fragments/memory/lock
  WHERE m.preserve_until < $now AND m.lifecycle_state <> 'SOFT_DELETED'
    AND coalesce(m.held_until <= $now, true)
  FOREACH (_ IN [1] |
    // include fragments/change/before
  )
  WITH m,
    // include fragments/change/values
    AS was
  SET
    m.tags = [tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) <> 'preserved'],
    m.unprotected_at = m.preserve_until,
    m.is_protected = null,
    m.preserve_until = null
  // include fragments/change/note
  WITH m
  // include fragments/change/after
} IN $concurrency CONCURRENT TRANSACTIONS OF $batch ROWS
  ON ERROR CONTINUE REPORT STATUS AS status
// include maintenance/stages/outcome
RETURN done, failed
