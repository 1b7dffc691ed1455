// Restore the notes of a run on the nearest memories of memories, unless they changed since.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — memories
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'near' AND ($group_id IS NULL OR change.group_id = $group_id)
CALL (change) {
  UNWIND range(0, size(change.memory_ids) - 1) AS i
  MATCH (m:Memory {uuid: change.memory_ids[i]})
  WHERE m.near_json = change.after[i]
  SET m.near_json = CASE change.before[i] WHEN '' THEN null ELSE change.before[i] END
  WITH change, count(m) AS restored
  DELETE change
  RETURN restored
} IN TRANSACTIONS OF 1 ROWS
RETURN coalesce(sum(restored), 0) AS restored
