// Store the previous `text` of memory `m` as a version with the id `version_id`.
//
// No version begins before an earlier one, also if the clock was set back in between.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
OPTIONAL MATCH (m)-[:HAS_VERSION]->(earlier:MemoryVersion)
WITH m, text, version_id, max(earlier.expired_at) AS since
CREATE (m)-[:HAS_VERSION]->(version:MemoryVersion {
  uuid: version_id, group_id: $group_id, content: text, content_hash: m.content_hash,
  name: m.name, origin_authority: m.origin_authority, origin_way_in: m.origin_way_in,
  origin_caller: m.origin_caller, origin_id: m.origin_id,
  created_at: CASE WHEN since > m.created_at THEN since ELSE m.created_at END,
  expired_at: datetime($now)
})
WITH m, version WHERE m.embedding IS NOT NULL
CALL db.create.setNodeVectorProperty(version, 'embedding', m.embedding)
