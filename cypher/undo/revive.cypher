// Make memories of what a run has purged, unless their ids are taken.
//
// access  write
// param   run_id     : STRING
// param   memory_ids : LIST<STRING> — sorted
UNWIND $memory_ids AS memory_id
MATCH (m:PurgedMemory {uuid: memory_id, purged_by: $run_id})
WHERE NOT EXISTS { MATCH (:Memory {uuid: memory_id}) }
SET m:Memory:Entity, m.purged_at = null, m.purged_by = null
REMOVE m:PurgedMemory
WITH m
MATCH (m)-[r:RELATES_TO]-(:Memory)
WHERE r.expired_at IS NULL
SET r.edge_key = startNode(r).uuid + '|' + r.name + '|' + endNode(r).uuid
