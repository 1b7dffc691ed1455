// Count the memories without a vector.
//
// access  read
// param   groups : LIST<STRING>? — only these
// returns unembedded : INTEGER
MATCH (m:Memory)
WHERE m.embedding_model IS NULL AND m.content IS NOT NULL
  AND ($groups IS NULL OR m.group_id IN $groups)
RETURN count(m) AS unembedded
