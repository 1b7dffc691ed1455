// Set memories back to the values that they had at an instant.
//
// A text comes back with the vector of its version. Its other vectors are made by the next run,
// which finds the memory without the name of a model.
//
// access  write
// param   until    : STRING — ISO 8601, UTC
// param   memories : LIST<MAP> — memory_id; properties: values by name, null to remove; version_id:
//                    the version with the text, or null; parent: null, or a map of parent_id, which
//                    may be null, and since; sorted by id
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id})
// include fragments/memory/lock
WHERE m:Memory
FOREACH (key IN keys(row.properties) | SET m[key] = row.properties[key])
WITH m, row
CALL (m, row) {
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion {uuid: row.version_id})
  OPTIONAL MATCH (m)-[:HAS_WORDS|HAS_PASSAGE]->(outdated:WordVectors|Passage)
  DETACH DELETE outdated
  WITH DISTINCT m, version WHERE version.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(m, 'embedding', version.embedding)
}
CALL (m, row) {
  WITH m, row WHERE row.version_id IS NOT NULL
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  WHERE version.expired_at > datetime($until)
  DETACH DELETE version
}
CALL (m, row) {
  WITH m, row WHERE row.parent IS NOT NULL
  OPTIONAL MATCH (m)-[former:HAS_PARENT]->()
  DELETE former
  WITH DISTINCT m, row
  MATCH (parent:Memory {uuid: row.parent.parent_id, group_id: m.group_id})
  CREATE (m)-[:HAS_PARENT {created_at: datetime(row.parent.since)}]->(parent)
}
// include decay/store_score
