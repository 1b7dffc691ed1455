// List memories of a group that were created after an instant.
//
// access  read
// param   group_id : STRING — the tenant
// param   until    : STRING — ISO 8601, UTC
// param   limit    : INTEGER
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.created_at > datetime($until)
WITH m.uuid AS memory_id LIMIT $limit
RETURN memory_id
