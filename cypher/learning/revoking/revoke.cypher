// Soft-delete the memories of a source, and record the values before, for undo.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — sorted
// returns memory_id : STRING
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.soft_deleted_at IS NULL
WITH m, m {.*, embedding: null, content: null} AS earlier
CALL (m) {
  // include decay/next_state
  WITH *, 'revoke' AS reason, 'SOFT_DELETED' AS entered
  // include decay/enter_state
}
// include decay/schedule
// include learning/acting/record
RETURN m.uuid AS memory_id
