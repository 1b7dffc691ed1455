// Return the id at which a range of `limit` memories of a group ends; no row if fewer are left.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING
// param   limit    : INTEGER
// returns last_id : STRING
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id
WITH m ORDER BY m.group_id, m.uuid SKIP $limit - 1 LIMIT 1
RETURN m.uuid AS last_id
