// Find the changes of maintenance runs by group.
//
// access  schema
CREATE INDEX maintenance_change_group_idx IF NOT EXISTS
FOR (n:MaintenanceChange)
ON (n.group_id)
