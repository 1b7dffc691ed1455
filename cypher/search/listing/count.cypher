// Count the memories of a group that pass the filters of a list.
//
// access  read
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states to count
// returns total : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states
WITH m
// include fragments/memory/filter
RETURN count(m) AS total
