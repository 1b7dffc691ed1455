// Soft-delete every memory of a group.
//
// access  batch
// param   group_id : STRING — the tenant
// returns deleted : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
CALL (m) {
  // include fragments/memory/lock
  WHERE m.lifecycle_state <> 'SOFT_DELETED'
  CALL (m) {
    // include decay/next_state
    WITH *, 'delete_all' AS reason, 'SOFT_DELETED' AS entered
    // include decay/enter_state
  }
  // include decay/schedule
} IN TRANSACTIONS OF 2000 ROWS
RETURN count(*) AS deleted
