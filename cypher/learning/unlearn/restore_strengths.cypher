// Restore what was learned about relations before a run; list what was learned again since.
//
// A record stays as long as one of its relations has another learned strength.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — relations
// returns kept     : LIST<STRING> — ids of memories from which such relations lead
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'strengths' AND ($group_id IS NULL OR change.group_id = $group_id)
CALL (change) {
  UNWIND range(0, size(change.memory_ids) - 1) AS i
  MATCH (m:Memory {uuid: change.memory_ids[i]})
    -[r:RELATES_TO {uuid: change.relation_ids[i]}]->(:Memory {uuid: change.to_ids[i]})
  WITH change, i, m, r,
  // include fragments/relation/learned_note
  AS note
  WITH change, i, m, r, note = change.after[i] AS restores,
       NOT note IN [change.before[i], change.after[i]] AS differs,
       split(change.before[i], '|') AS was
  FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END |
    SET
      r.learned_strength = toFloatOrNull(was[0]), r.use_count = toIntegerOrNull(was[1]),
      r.last_used_at = was[2]
  )
  WITH change, count(CASE WHEN restores THEN 1 END) AS restored,
       collect(CASE WHEN differs THEN m.uuid END) AS kept
  FOREACH (_ IN CASE WHEN size(kept) = 0 THEN [1] ELSE [] END | DELETE change)
  RETURN restored, kept
} IN TRANSACTIONS OF 1 ROWS
RETURN coalesce(sum(restored), 0) AS restored, reduce(all = [], each IN collect(kept) | all + each)
  AS kept
