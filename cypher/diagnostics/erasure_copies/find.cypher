// List memories of all groups that are copies of some memories, or have their ids.
//
// Two servers may have memories with the same id: an import keeps an id that its server does not
// have. The contents decide whether such a memory is a copy.
//
// access  read
// param   memory_ids : LIST<STRING>
// returns memory_id   : STRING
// returns group_id    : STRING
// returns copied_from : STRING? — one of the memories; null for a memory with the same id
// returns hashes      : LIST<STRING> — SHA-256 of the content, and of earlier ones
CALL () {
  MATCH (m:Memory)
  USING INDEX m:Memory(copied_from)
  WHERE m.copied_from IN $memory_ids
  RETURN m, m.copied_from AS copied_from
  UNION
  MATCH (m:Memory)
  USING INDEX m:Memory(uuid)
  WHERE m.uuid IN $memory_ids
  RETURN m, null AS copied_from
}
RETURN m.uuid AS memory_id, m.group_id AS group_id, copied_from,
       [m.content_hash] + COLLECT {
         MATCH (m)-[:HAS_VERSION]->(earlier:MemoryVersion) RETURN earlier.content_hash
       } AS hashes
ORDER BY group_id, memory_id
