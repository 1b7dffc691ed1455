// List the groups with entities that are not memories yet.
//
// access  read
// returns group_id : STRING
MATCH (n:Entity)
WHERE n.lifecycle_state IS NULL AND n.group_id IS NOT NULL
WITH DISTINCT n.group_id AS group_id
RETURN group_id
ORDER BY group_id
