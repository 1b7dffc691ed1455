// Read the compressed contents of memories, as text or bytes.
//
// access  read
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns packed    : ANY — text; bytes before migration 9
CALL () {
  MATCH (m:Memory)
  WHERE m.uuid IN $memory_ids AND m.content_gz IS NOT NULL
  RETURN m
UNION ALL
  MATCH (m:PurgedMemory)
  WHERE m.uuid IN $memory_ids AND m.content_gz IS NOT NULL
  RETURN m
}
RETURN m.uuid AS memory_id, m.content_gz AS packed
