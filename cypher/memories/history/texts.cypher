// List the texts of a memory with their origins, the earliest first; deleted memories included.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns since  : STRING — ISO 8601
// returns until  : STRING? — null for the present text
// returns text   : STRING
// returns origin : MAP?
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
CALL (m) {
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  RETURN version AS stored, version.created_at AS begun, version.expired_at AS ended,
         version.content AS content
UNION ALL
  OPTIONAL MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  WITH m, max(version.expired_at) AS last
  RETURN m AS stored, coalesce(last, m.created_at) AS begun, null AS ended,
  // include fragments/memory/content
  AS content
}
RETURN split(toString(begun), '[')[0] AS since, split(toString(ended), '[')[0] AS until,
       content AS text,
       // include fragments/origin/stored
       AS origin
ORDER BY ended IS NULL, begun, ended
