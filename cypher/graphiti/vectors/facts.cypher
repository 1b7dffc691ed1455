// List facts of a group that need a vector, ordered by id.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — last id of the previous batch; empty for the first
// param   limit    : INTEGER
// returns id   : STRING
// returns text : STRING
MATCH ()-[r:RELATES_TO {group_id: $group_id}]->()
WHERE r.uuid > $after_id AND
  // include graphiti/vectors/stale_fact
WITH r ORDER BY r.uuid LIMIT $limit
RETURN r.uuid AS id, r.fact AS text
ORDER BY id
