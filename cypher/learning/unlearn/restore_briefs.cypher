// Restore the briefs of memories as they were before a run; list those that have another since.
//
// A record stays as long as one of its memories has another value. A brief of a text that changed
// since went with the text, and does not come back.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — memories
// returns kept     : LIST<STRING> — ids of memories whose brief was computed again since
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'briefs' AND ($group_id IS NULL OR change.group_id = $group_id)
CALL (change) {
  UNWIND range(0, size(change.memory_ids) - 1) AS i
  OPTIONAL MATCH (m:Memory {uuid: change.memory_ids[i]})
  WHERE change.before[i] + change.after[i] CONTAINS '"' + left(m.content_hash, 16) + '"'
  WITH change, i, m, coalesce(toStringOrNull(m.brief_json), '') AS value
  WITH change, i, m, m IS NOT NULL AND value = change.after[i] AS restores,
       NOT value IN [change.before[i], change.after[i]] AS differs
  FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END |
    SET m.brief_json = CASE WHEN change.before[i] <> '' THEN change.before[i] END
  )
  WITH change, count(CASE WHEN restores THEN 1 END) AS restored,
       collect(CASE WHEN differs THEN m.uuid END) AS kept
  FOREACH (_ IN CASE WHEN size(kept) = 0 THEN [1] ELSE [] END | DELETE change)
  RETURN restored, kept
} IN TRANSACTIONS OF 1 ROWS
RETURN coalesce(sum(restored), 0) AS restored, reduce(all = [], each IN collect(kept) | all + each)
  AS kept
