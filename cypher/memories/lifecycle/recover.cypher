// Undo a deletion within the retention; it counts as an access, and relations are as before.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   now       : STRING — ISO 8601, UTC
// param   decay     : MAP — decay settings
// returns memory_id : STRING
// returns packed    : STRING? — compressed content of a memory that was archived
// returns lifted    : LIST<STRING> — ids of the tombstones that its rejection had left
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.soft_deleted_at IS NOT NULL AND datetime($now).epochMillis
  - datetime(m.soft_deleted_at).epochMillis <= $decay.soft_delete_retention_ms
WITH *,
  // include fragments/change/values
  AS was
SET
  m.access_count = m.access_count + 1,
  m.dedup_key = $group_id + '|' + m.content_hash,
  m.last_accessed_at = $now
WITH m, was
// include fragments/memory/reactivate
// include fragments/change/note
CALL (m) {
  // include decay/next_state
  WITH *, 'recover' AS reason, 'ACTIVE' AS entered
  // include decay/enter_state
}
// include decay/store_score
// include memories/tombstones/lift_of
RETURN m.uuid AS memory_id, m.content_gz AS packed, lifted
