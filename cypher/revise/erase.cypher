// Remove memories for good, with their relations, versions and what they were before.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids
WITH m, m.uuid AS memory_id
OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS]->(part:MemoryVersion|WordVectors)
OPTIONAL MATCH (was:EntityBefore {uuid: memory_id})
DETACH DELETE part, was, m
RETURN DISTINCT memory_id
