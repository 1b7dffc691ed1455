// Keep a memory from fading, for good or until a date, and wake it whatever its state was.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   until     : STRING? — ISO 8601, UTC; the last instant that it is kept
// returns memory_id : STRING
// returns packed    : STRING? — the compressed content of one that woke
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
SET
  m.tags = [tag IN m.tags WHERE toLower(tag) <> 'preserved'] + 'preserved',
  m.preserve_until = $until
WITH m
// include fragments/memory/reactivate
CALL (m) {
  // include decay/next_state
  WITH *, 'preserve' AS reason, 'ACTIVE' AS entered
  // include decay/enter_state
}
// include decay/store_score
RETURN m.uuid AS memory_id, m.content_gz AS packed
