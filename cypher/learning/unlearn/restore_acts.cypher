// Restore the memories on which an action of a run acted; list those that were changed since.
//
// A memory whose content another memory has since counts as changed.
// The record of a memory that was changed stays. A content that was unpacked is packed again by the
// stage of compression, or at the end of the undo.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   kept     : LIST<STRING> — properties that actions change
// param   compared : LIST<STRING> — those of them that show a later change
// param   batch    : INTEGER — memories in one transaction
// returns restored : INTEGER — memories
// returns kept     : LIST<STRING> — ids of memories that were changed since
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'act' AND ($group_id IS NULL OR change.group_id = $group_id)
CALL (change) {
  OPTIONAL MATCH (m:Memory {uuid: change.memory_ids[0]})
  // include fragments/memory/lock
  WITH change, m, m IS NOT NULL AND all(key IN $compared
    WHERE coalesce(m[key] = change['after_' + key],
      m[key] IS NULL AND change['after_' + key] IS NULL))
    AND (m.dedup_key IS NOT NULL OR change.before_dedup_key IS NULL
      OR NOT EXISTS { MATCH (:Memory {dedup_key: change.before_dedup_key}) }) AS restores
  WITH *, restores AND change.before_is_compressed AND NOT coalesce(m.is_compressed, false) AS packs
  FOREACH (key IN CASE WHEN restores THEN $kept ELSE [] END |
    SET m[key] = change['before_' + key]
  )
  FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END |
    SET m.dedup_key = coalesce(change.before_dedup_key, m.dedup_key)
  )
  FOREACH (_ IN CASE WHEN packs THEN [1] ELSE [] END | SET m.packing_due = true)
  WITH restores, change, change.memory_ids[0] AS memory_id
  FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END | DELETE change)
  RETURN CASE WHEN restores THEN 1 ELSE 0 END AS restored,
         CASE WHEN restores THEN [] ELSE [memory_id] END AS kept
} IN TRANSACTIONS OF $batch ROWS
RETURN coalesce(sum(restored), 0) AS restored, reduce(all = [], each IN collect(kept) | all + each)
  AS kept
