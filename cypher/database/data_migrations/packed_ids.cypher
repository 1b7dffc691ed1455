// List the memories whose content is stored compressed, in the order of ids.
//
// access  stream
// returns memory_id : STRING
MATCH (m:Memory|PurgedMemory)
WHERE m.is_compressed
RETURN m.uuid AS memory_id
ORDER BY memory_id
