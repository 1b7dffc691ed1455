// Delete the feedback of a group.
//
// access  write
// param   group_id : STRING — the tenant
// returns forgotten : INTEGER
MATCH (c:Control {key: 'feedback|' + $group_id})
DELETE c
RETURN count(*) AS forgotten
