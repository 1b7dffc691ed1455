// Count the memories for a language model to rate: waiting, with the fallback, and rated.
//
// access  read
// param   groups : LIST<STRING>? — only these; null for all; null for all
// returns pending  : INTEGER
// returns fallback : INTEGER
// returns rated    : INTEGER
MATCH (m:Memory)
WHERE m.classification_status IN ['pending', 'done'] AND m.soft_deleted_at IS NULL
  AND ($groups IS NULL OR m.group_id IN $groups)
WITH count(CASE m.classification_status WHEN 'pending' THEN 1 END) AS pending,
     count(CASE m.importance_source WHEN 'fallback' THEN 1 END) AS fallback,
     count(CASE m.importance_source WHEN 'llm' THEN 1 END) AS rated
RETURN pending, fallback, rated
