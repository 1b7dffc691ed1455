// Restore the relations that a run ended; keep those that were erased, or have a successor.
//
// access  write
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns restored : INTEGER — relations
// returns kept     : LIST<STRING> — ids of the memories at the start of those that stay ended
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'ended' AND ($group_id IS NULL OR change.group_id = $group_id)
OPTIONAL MATCH ()-[r:RELATES_TO {uuid: change.relation_ids[0]}]->()
WITH change, r, r IS NOT NULL AND r.edge_key IS NULL AND NOT EXISTS {
  MATCH ()-[:RELATES_TO {edge_key: change.edge_key}]->()
} AS restores
FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END |
  SET r.edge_key = change.edge_key, r.invalid_at = change.invalid_at, r.expired_at = null
)
WITH change, restores, change.memory_ids[0] AS memory_id
FOREACH (_ IN CASE WHEN restores THEN [1] ELSE [] END | DELETE change)
RETURN count(CASE WHEN restores THEN 1 END) AS restored,
       collect(CASE WHEN NOT restores THEN memory_id END) AS kept
