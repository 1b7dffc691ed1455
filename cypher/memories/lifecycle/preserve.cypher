// Preserve a memory, permanently or until a date, and reactivate it from any state.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   until     : STRING? — last instant of the protection, ISO 8601, UTC; null for ever
// returns memory_id : STRING
// returns packed    : STRING? — compressed content of a reactivated memory
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
WITH *,
  // include fragments/change/values
  AS was
SET
  m.tags = [tag IN
    // include fragments/memory/tags
    WHERE toLower(tag) <> 'preserved'] + 'preserved',
  m.preserve_until = $until
WITH m, was
// include fragments/memory/reactivate
// include fragments/change/note
CALL (m) {
  // include decay/next_state
  WITH *, 'preserve' AS reason, 'ACTIVE' AS entered
  // include decay/enter_state
}
// include decay/store_score
RETURN m.uuid AS memory_id, m.content_gz AS packed
