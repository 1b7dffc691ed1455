// Write down ratings of memories, or that none came; what a caller has set or changed stays.
//
// access  write
// param   group_id : STRING — the tenant
// param   ratings  : LIST<MAP> — memory_id, updated_at as it was read, importance and stability, or
//                    null for both; sorted by id
// param   attempts : INTEGER — after so many without a rating it waits no more
// returns memory_id : STRING — of each that is rated now
UNWIND $ratings AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include memories/lock
WHERE m.classification_status = 'pending'
  AND coalesce(m.updated_at = row.updated_at, m.updated_at IS NULL AND row.updated_at IS NULL)
WITH m, row, row.importance IS NOT NULL AS rated
SET
  m.classification_attempts =
    CASE WHEN rated THEN null ELSE coalesce(m.classification_attempts, 0) + 1 END
SET
  m.classification_status =
    CASE WHEN rated OR m.classification_attempts >= $attempts THEN 'done' ELSE 'pending' END
WITH m, row, rated WHERE rated
SET
  m.importance = CASE m.importance_source WHEN 'user' THEN m.importance ELSE row.importance END,
  m.importance_source = CASE m.importance_source WHEN 'user' THEN 'user' ELSE 'llm' END,
  m.stability = CASE m.stability_source WHEN 'user' THEN m.stability ELSE row.stability END,
  m.stability_source = CASE m.stability_source WHEN 'user' THEN 'user' ELSE 'llm' END
WITH m
// include decay/schedule
RETURN m.uuid AS memory_id
