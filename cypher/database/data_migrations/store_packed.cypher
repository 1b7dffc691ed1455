// Replace the compressed contents of memories.
//
// access  write
// param   memories : LIST<MAP> — memory_id and packed
UNWIND $memories AS row
CALL (row) {
  MATCH (m:Memory {uuid: row.memory_id})
  WHERE m.is_compressed
  RETURN m
UNION ALL
  MATCH (m:PurgedMemory {uuid: row.memory_id})
  WHERE m.is_compressed
  RETURN m
}
SET m.content_gz = row.packed
