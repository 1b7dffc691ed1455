// Restore the clusters of memories as they were before a run; list those with others since.
//
// A record stays as long as one of its memories has another cluster.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — memories
// returns kept     : LIST<STRING> — ids of memories that were computed again since
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'clusters' AND ($group_id IS NULL OR change.group_id = $group_id)
CALL (change) {
  UNWIND range(0, size(change.memory_ids) - 1) AS i
  MATCH (m:Memory {uuid: change.memory_ids[i]})
  WITH change, m, change.before[i] AS before, change.after[i] AS after,
    // include learning/clusters/place
    AS now
  WITH change, m, before AS place, now = after AS restores, NOT now IN [before, after] AS differs
  CALL (m, place, restores) {
    WITH m, place WHERE restores
    // include learning/clusters/put
  }
  WITH change, count(CASE WHEN restores THEN 1 END) AS restored,
       collect(CASE WHEN differs THEN m.uuid END) AS kept
  FOREACH (_ IN CASE WHEN size(kept) = 0 THEN [1] ELSE [] END | DELETE change)
  RETURN restored, kept
} IN TRANSACTIONS OF 1 ROWS
RETURN coalesce(sum(restored), 0) AS restored, reduce(all = [], each IN collect(kept) | all + each)
  AS kept
