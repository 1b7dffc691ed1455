// List facts of a group that are to be embedded, in the order of ids.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last of the batch before; empty for the first
// param   limit    : INTEGER
// returns id   : STRING
// returns text : STRING
MATCH ()-[r:RELATES_TO {group_id: $group_id}]->()
WHERE r.uuid > $after_id AND
  // include graphiti/vectors/stale_fact
WITH r ORDER BY r.uuid LIMIT $limit
RETURN r.uuid AS id, r.fact AS text
ORDER BY id
