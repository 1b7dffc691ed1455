// List the groups with adopted memories whose summary has changed since.
//
// access  read
// param   groups : LIST<STRING>? — only these
// returns group_id : STRING
MATCH (m:Memory)
WHERE
// include fragments/memory/summary_changed
AND ($groups IS NULL OR m.group_id IN $groups)
WITH DISTINCT m.group_id AS group_id
RETURN group_id
ORDER BY group_id
