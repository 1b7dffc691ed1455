// Count the memories of a group by state.
//
// access  read
// param   group_id : STRING — the tenant
// returns state : STRING — UNKNOWN if another writer erased it
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
RETURN coalesce(toStringOrNull(m.lifecycle_state), 'UNKNOWN') AS state, count(*) AS count
ORDER BY state
