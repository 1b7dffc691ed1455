// Count the memories of a group by state.
//
// access  read
// param   group_id : STRING — the tenant
// returns state : STRING
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
RETURN m.lifecycle_state AS state, count(*) AS count
ORDER BY state
