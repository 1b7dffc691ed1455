// List the groups of this database.
//
// access  read
// returns group_id : STRING
MATCH (m:Memory)
RETURN DISTINCT m.group_id AS group_id
ORDER BY group_id
