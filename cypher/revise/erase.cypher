// Remove memories for good, with their relations and versions.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids
WITH m, m.uuid AS memory_id ORDER BY memory_id
// include memories/lock
WHERE m:Memory
OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS]->(part:MemoryVersion|WordVectors)
DETACH DELETE part, m
RETURN DISTINCT memory_id
