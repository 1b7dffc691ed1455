// List entities of a group whose names are to be embedded, in the order of ids.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last of the batch before; empty for the first
// param   limit    : INTEGER
// returns id   : STRING
// returns text : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid > $after_id AND
  // include graphiti/vectors/stale_name
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS id, m.name AS text
ORDER BY id
