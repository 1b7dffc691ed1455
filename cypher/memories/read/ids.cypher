// List the ids of a group that begin with a text, in any state.
//
// access  read
// param   group_id : STRING — the tenant
// param   prefix   : STRING — beginning of an id
// param   limit    : INTEGER
// returns memory_id : STRING
MATCH (m:Memory)
USING INDEX m:Memory(uuid)
WHERE m.uuid STARTS WITH $prefix AND m.group_id = $group_id
WITH m.uuid AS memory_id ORDER BY memory_id LIMIT $limit
RETURN memory_id
