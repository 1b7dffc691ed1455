// List the memories that a run changed, in the order of ids.
//
// access  read
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
MATCH (change:MaintenanceChange {run_id: $run_id})
WHERE change.memory_id > $after_id AND ($group_id IS NULL OR change.group_id = $group_id)
WITH change.memory_id AS memory_id ORDER BY memory_id LIMIT $limit
RETURN memory_id
ORDER BY memory_id
