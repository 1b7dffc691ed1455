// Turn nodes that a run has purged into memories again, unless their ids are taken.
//
// A relation gets its former key back as soon as both of its ends exist again.
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
WHERE r.purged_key IS NOT NULL
WITH DISTINCT r
SET r.edge_key = r.purged_key, r.purged_key = null
