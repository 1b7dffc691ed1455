// Store compressed or restored contents, unless the memory has changed since it was listed.
//
// access  write
// param   memories : LIST<MAP> — memory_id, state, seen, content and packed; sorted by id
// returns memory_id : STRING
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id})
// include fragments/memory/lock
WHERE m.content = row.seen AND m.lifecycle_state = row.state
SET
  m.content = row.content,
  m.content_gz = row.packed,
  m.is_compressed = row.packed IS NOT NULL,
  m.packing_due = null
RETURN m.uuid AS memory_id
