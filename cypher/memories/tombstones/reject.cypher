// Soft-delete memories, and leave tombstones of their statements.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids
WITH m ORDER BY m.uuid
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
// include memories/tombstones/leave
CALL (m) {
  // include decay/next_state
  WITH *, 'reject' AS reason, 'SOFT_DELETED' AS entered
  // include decay/enter_state
}
// include decay/schedule
RETURN m.uuid AS memory_id
