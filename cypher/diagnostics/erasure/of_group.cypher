// List the memories of a group, the deleted and purged ones included.
//
// access  read
// param   group_id : STRING — the tenant
// returns memory_id : STRING
CALL () {
  MATCH (m:Memory {group_id: $group_id})
  RETURN m
UNION ALL
  MATCH (m:PurgedMemory {group_id: $group_id})
  RETURN m
}
RETURN m.uuid AS memory_id ORDER BY memory_id
