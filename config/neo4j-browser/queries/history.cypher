// A memory's history: texts, changes and relations; `:param memory_id => '...'` first
MATCH (m:Memory {uuid: $memory_id, group_id: $group})
CALL (m) {
  RETURN toString(m.created_at) AS at, 'created' AS what, left(m.content, 200) AS detail
UNION ALL
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  RETURN toString(version.expired_at) AS at, 'rewritten' AS what, version.content AS detail
UNION ALL
  UNWIND coalesce(m.state_history, []) AS entry
  RETURN substring(entry, 8, 24) AS at, 'state' AS what, entry AS detail
UNION ALL
  UNWIND coalesce(m.edit_history, []) AS entry
  RETURN substring(entry, 8, 24) AS at, 'changed' AS what, entry AS detail
UNION ALL
  MATCH (m)-[r:RELATES_TO]-(other:Memory)
  RETURN toString(r.created_at) AS at, r.name AS what, other.name AS detail
}
RETURN at, what, detail
ORDER BY at
