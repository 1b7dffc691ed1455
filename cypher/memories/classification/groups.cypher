// Name the groups that have memories waiting to be rated.
//
// access  read
// param   groups : LIST<STRING>? — only these
// returns group_id : STRING
MATCH (m:Memory)
WHERE m.classification_status = 'pending' AND m.soft_deleted_at IS NULL
  AND ($groups IS NULL OR m.group_id IN $groups)
WITH DISTINCT m.group_id AS group_id
RETURN group_id
ORDER BY group_id
