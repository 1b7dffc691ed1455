// Soft-delete every memory of a group.
//
// access  batch
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// returns deleted : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
CALL (m) {
  SET
    m.lifecycle_state = 'SOFT_DELETED',
    m.soft_deleted_at = $now,
    m.state_changed_at = $now,
    m.state_reason = 'delete_all',
    m.dedup_key = null
} IN TRANSACTIONS OF 2000 ROWS
RETURN count(*) AS deleted
