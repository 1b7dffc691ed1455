// List the groups that have memories without a vector.
//
// access  read
// param   groups : LIST<STRING>? — only these
// returns group_id : STRING
MATCH (m:Memory)
WHERE m.embedding_model IS NULL AND m.content IS NOT NULL
  AND ($groups IS NULL OR m.group_id IN $groups)
WITH DISTINCT m.group_id AS group_id
RETURN group_id
ORDER BY group_id
