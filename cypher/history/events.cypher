// List what happened to a memory, in order.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns at     : ZONED DATETIME
// returns kind   : STRING
// returns detail : STRING?
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
CALL (m) {
  RETURN m.created_at AS at, 'created' AS kind, null AS detail
UNION ALL
  WITH m WHERE m.state_reason <> 'created'
  RETURN datetime(m.state_changed_at) AS at, 'state' AS kind,
         m.lifecycle_state + ': ' + coalesce(m.obsolete_reason, m.state_reason) AS detail
UNION ALL
  MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
  RETURN version.expired_at AS at, 'rewritten' AS kind, version.content AS detail
UNION ALL
  WITH m WHERE m.invalid_at IS NOT NULL
  RETURN m.invalid_at AS at, 'ended' AS kind, null AS detail
UNION ALL
  MATCH (m)-[r:RELATES_TO]-(:Memory {group_id: $group_id})
  RETURN r.created_at AS at, 'related' AS kind, r.fact AS detail
UNION ALL
  MATCH (m)-[r:RELATES_TO]-(:Memory {group_id: $group_id})
  WHERE r.expired_at IS NOT NULL
  RETURN r.expired_at AS at, 'unrelated' AS kind, r.fact AS detail
}
RETURN at, kind, detail
ORDER BY at, kind, detail
