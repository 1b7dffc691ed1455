// Return whether and when a memory was deleted; a purged one counts, until it is erased.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns soft_deleted_at : STRING?
// returns content_hash    : STRING
// returns purged          : BOOLEAN
CALL () {
  MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
  RETURN m, false AS purged
UNION ALL
  MATCH (m:PurgedMemory {uuid: $memory_id, group_id: $group_id})
  RETURN m, true AS purged
}
RETURN m.soft_deleted_at AS soft_deleted_at, m.content_hash AS content_hash, purged
ORDER BY purged
LIMIT 1
