// Describe memories that a read does not return, deleted and purged ones included.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id       : STRING
// returns purged          : BOOLEAN
// returns soft_deleted_at : STRING? — ISO 8601, UTC
// returns valid_at        : STRING? — ISO 8601, UTC
// returns invalid_at      : STRING? — ISO 8601, UTC
// returns created_at      : ZONED DATETIME?
UNWIND $memory_ids AS memory_id
CALL (memory_id) {
  MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
  RETURN m, false AS purged
UNION ALL
  MATCH (m:PurgedMemory {uuid: memory_id, group_id: $group_id})
  RETURN m, true AS purged
}
RETURN memory_id, purged, m.soft_deleted_at AS soft_deleted_at, m.valid_at AS valid_at,
       m.invalid_at AS invalid_at, m.created_at AS created_at
ORDER BY memory_id, purged
