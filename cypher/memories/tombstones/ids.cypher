// List the ids of the tombstones of a group that begin with texts.
//
// access  read
// param   group_id : STRING — the tenant
// param   prefixes : LIST<STRING> — beginnings of ids
// param   limit    : INTEGER — ids of each
// returns prefix : STRING
// returns ids    : LIST<STRING> — in their order
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (t:Tombstone)
  USING INDEX t:Tombstone(uuid)
  WHERE t.uuid STARTS WITH prefix AND t.group_id = $group_id
  WITH t.uuid AS id ORDER BY id LIMIT $limit
  RETURN collect(id) AS ids
}
RETURN prefix, ids
