// List memories of a group that are to be embedded, by id.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
// returns content   : STRING
MATCH (m:Memory {group_id: $group_id})
// include rebuild/stale
WITH m WHERE m.uuid > $after_id
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m.content AS content
ORDER BY memory_id
