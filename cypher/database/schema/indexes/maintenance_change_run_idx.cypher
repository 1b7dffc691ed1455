// Find the changes of a maintenance run.
//
// access  schema
CREATE INDEX maintenance_change_run_idx IF NOT EXISTS
FOR (n:MaintenanceChange)
ON (n.run_id, n.memory_id)
