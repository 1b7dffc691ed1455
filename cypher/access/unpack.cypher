// Put the whole content back where a memory that was archived has woken.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id and content; sorted by id
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include memories/lock
WHERE m.is_compressed
SET m.content = row.content, m.content_gz = null, m.is_compressed = false, m.packing_due = null
