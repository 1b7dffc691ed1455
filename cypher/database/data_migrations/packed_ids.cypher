// List the memories with a compressed content, by id.
//
// access  stream
// returns memory_id : STRING
MATCH (m:Memory|PurgedMemory)
WHERE m.is_compressed
RETURN m.uuid AS memory_id
ORDER BY memory_id
