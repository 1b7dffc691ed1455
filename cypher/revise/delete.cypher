// Soft-delete memories; they can be recovered until the retention has passed.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// param   now        : STRING — ISO 8601, UTC
// param   reason     : STRING
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids AND m.soft_deleted_at IS NULL
WITH m ORDER BY m.uuid
SET
  m.lifecycle_state = 'SOFT_DELETED',
  m.soft_deleted_at = $now,
  m.state_changed_at = $now,
  m.state_reason = $reason,
  m.dedup_key = null
RETURN m.uuid AS memory_id
