// Store ratings of memories, or count an attempt without one; values set by a caller stay.
//
// A run records the previous values, so that undo can restore them.
//
// access  write
// param   group_id : STRING — the tenant
// param   ratings  : LIST<MAP> — memory_id, updated_at when read, importance and stability, or null
//                    for both; sorted by id
// param   attempts : INTEGER — attempts without a rating after which it stops waiting
// param   decay    : MAP — decay settings, and run_id, null without a run
// returns memory_id : STRING — id of each memory rated
UNWIND $ratings AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.classification_status = 'pending'
  AND coalesce(m.updated_at = row.updated_at, m.updated_at IS NULL AND row.updated_at IS NULL)
WITH m, row, row.importance IS NOT NULL AS rated
FOREACH (_ IN CASE WHEN rated AND $decay.run_id IS NOT NULL THEN [1] ELSE [] END |
  // include fragments/change/before
  SET
    change.before_importance = m.importance,
    change.before_importance_source = m.importance_source,
    change.before_stability = m.stability,
    change.before_stability_source = m.stability_source,
    change.before_classification_attempts = m.classification_attempts
)
WITH m, row, rated
SET
  m.classification_attempts =
    CASE WHEN rated THEN null ELSE coalesce(m.classification_attempts, 0) + 1 END
SET
  m.classification_status =
    CASE WHEN rated OR m.classification_attempts >= $attempts THEN 'done' ELSE 'pending' END
WITH m, row, rated WHERE rated
WITH *,
  // include fragments/change/values
  AS was
SET
  m.importance = CASE m.importance_source WHEN 'user' THEN m.importance ELSE row.importance END,
  m.importance_source = CASE m.importance_source WHEN 'user' THEN 'user' ELSE 'llm' END,
  m.stability = CASE m.stability_source WHEN 'user' THEN m.stability ELSE row.stability END,
  m.stability_source = CASE m.stability_source WHEN 'user' THEN 'user' ELSE 'llm' END
// include fragments/change/note
WITH m
// include decay/schedule
CALL (m) {
  WITH m WHERE $decay.run_id IS NOT NULL
  // include fragments/change/after
  SET
    change.after_importance = m.importance,
    change.after_importance_source = m.importance_source,
    change.after_stability = m.stability,
    change.after_stability_source = m.stability_source
}
RETURN m.uuid AS memory_id
