// List the memories that a run changed, in the order of ids.
//
// access  read
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
MATCH (change:MaintenanceChange {run_id: $run_id})
WHERE change.memory_id > $after_id
// The order starts with the run so that the index provides it, and only the batch is read.
WITH change ORDER BY change.run_id, change.memory_id
WHERE $group_id IS NULL OR change.group_id = $group_id
WITH change.memory_id AS memory_id ORDER BY change.run_id, memory_id LIMIT $limit
RETURN memory_id
ORDER BY memory_id
