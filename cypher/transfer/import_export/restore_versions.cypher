// Restore the earlier texts that memories had when they were exported.
//
// Only memories unchanged since their creation are restored, so a repeated import changes nothing.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id and versions, with the properties below; sorted by id
// param   origin   : MAP — way_in, caller, authority, above and origin_id
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
WHERE m.access_count = 0 AND m.state_reason = 'created' AND datetime(m.updated_at) = m.created_at
  AND NOT EXISTS { (m)-[:HAS_VERSION]->() }
UNWIND row.versions AS was
CREATE (m)-[:HAS_VERSION]->(version:MemoryVersion {
  uuid: was.version_id, group_id: $group_id, content: was.content,
  content_hash: was.content_hash, name: was.name,
  origin_authority: $origin.authority, origin_way_in: $origin.way_in,
  origin_caller: $origin.caller, origin_id: $origin.origin_id,
  created_at: coalesce(datetime(was.created_at), m.created_at),
  expired_at: datetime(was.expired_at)
})
WITH version, toFloatList(was.embedding) AS vector
CALL db.create.setNodeVectorProperty(version, 'embedding', vector)
