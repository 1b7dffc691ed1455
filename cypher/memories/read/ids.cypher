// List the ids of a group that begin with texts, in any state, purged ones included.
//
// access  read
// param   group_id  : STRING — the tenant
// param   prefixes  : LIST<STRING> — beginnings of ids
// param   limit     : INTEGER — ids of each
// returns prefix : STRING
// returns ids    : LIST<STRING> — in their order
UNWIND $prefixes AS prefix
CALL (prefix) {
  CALL (prefix) {
    MATCH (m:Memory)
    USING INDEX m:Memory(uuid)
    WHERE m.uuid STARTS WITH prefix AND m.group_id = $group_id
    RETURN m.uuid AS memory_id
  UNION
    MATCH (p:PurgedMemory)
    USING INDEX p:PurgedMemory(uuid)
    WHERE p.uuid STARTS WITH prefix AND p.group_id = $group_id
    RETURN p.uuid AS memory_id
  }
  WITH memory_id ORDER BY memory_id LIMIT $limit
  RETURN collect(memory_id) AS ids
}
RETURN prefix, ids
