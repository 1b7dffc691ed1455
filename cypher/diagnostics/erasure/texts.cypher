// Read the texts of memories that are to be erased, those of their versions included.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns texts     : LIST<STRING> — without nulls
// returns packed    : STRING? — the compressed content
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id
RETURN m.uuid AS memory_id, m.content_gz AS packed,
       [text IN [m.content, m.name] + COLLECT {
         MATCH (m)-[:HAS_VERSION]->(v:MemoryVersion)
         UNWIND [v.content, v.name] AS earlier
         RETURN earlier
       } WHERE text IS :: STRING NOT NULL] AS texts
