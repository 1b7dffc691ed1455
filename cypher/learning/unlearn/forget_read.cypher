// Erase the record of a batch of memories whose mentions a run has read.
//
// access  write
// param   run_id     : STRING
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — of the batch
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'entities' AND change.group_id = $group_id
  AND change.memory_ids = $memory_ids
DELETE change
