// List entities of a group whose names need a vector, ordered by id.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — last id of the previous batch; empty for the first
// param   limit    : INTEGER
// returns id   : STRING
// returns text : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid > $after_id AND
  // include graphiti/vectors/stale_name
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS id, m.name AS text
ORDER BY id
