// List the groups with memories that wait for a rating.
//
// access  read
// param   groups : LIST<STRING>? — only these; null for all; null for all
// returns group_id : STRING
MATCH (m:Memory)
WHERE m.classification_status = 'pending' AND m.soft_deleted_at IS NULL
  AND ($groups IS NULL OR m.group_id IN $groups)
WITH DISTINCT m.group_id AS group_id
RETURN group_id
ORDER BY group_id
