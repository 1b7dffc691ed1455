// Remove every memory of a group for good, with their relations and versions.
//
// access  batch
// param   group_id : STRING — the tenant
// returns deleted : INTEGER
MATCH (m:Memory {group_id: $group_id})
CALL (m) {
  OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS]->(part:MemoryVersion|WordVectors)
  DETACH DELETE part, m
} IN TRANSACTIONS OF 500 ROWS
RETURN count(*) AS deleted
