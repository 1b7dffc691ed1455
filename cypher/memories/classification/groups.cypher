// List the groups with memories that wait for a rating.
//
// access  read
// param   groups : LIST<STRING>? — only these; null for all; null for all
// param   now    : STRING — ISO 8601, UTC
// returns group_id : STRING
MATCH (m:Memory)
WHERE m.classification_status = 'pending' AND m.soft_deleted_at IS NULL
  AND coalesce(m.held_until <= $now, true)
  AND ($groups IS NULL OR m.group_id IN $groups)
WITH DISTINCT m.group_id AS group_id
RETURN group_id
ORDER BY group_id
