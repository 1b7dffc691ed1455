// Restore the whole content of a memory that was archived and is reactivated or updated.
//
// The next run compresses it again if it stays archived.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id and content; sorted by id
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.is_compressed
SET
  m.content = row.content, m.content_gz = null, m.is_compressed = false,
  m.packing_due = CASE m.lifecycle_state WHEN 'ARCHIVED' THEN true END
