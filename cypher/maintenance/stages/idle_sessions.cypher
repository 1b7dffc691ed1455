// List the groups that have sessions unused since an instant.
//
// access  read
// param   groups : LIST<STRING>? — only these
// param   before : STRING — ISO 8601, UTC
// returns group_id : STRING
MATCH (s:Session)
WHERE s.updated_at < $before AND ($groups IS NULL OR s.group_id IN $groups)
WITH DISTINCT s.group_id AS group_id
RETURN group_id
ORDER BY group_id
