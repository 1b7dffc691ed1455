// List the ids of proposals and waiting writes of a group that begin with texts.
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
    MATCH (p:Proposal)
    USING INDEX p:Proposal(uuid)
    WHERE p.uuid STARTS WITH prefix AND p.group_id = $group_id
    RETURN p.uuid AS id
  UNION
    MATCH (w:PendingWrite {group_id: $group_id})
    WHERE w.uuid STARTS WITH prefix
    RETURN w.uuid AS id
  }
  WITH id ORDER BY id LIMIT $limit
  RETURN collect(id) AS ids
}
RETURN prefix, ids
