// Read the records of the runs that changed something in a group.
//
// access  stream
// param   group_id : STRING — the tenant
// returns run_id     : STRING
// returns properties : MAP
CALL () {
  MATCH (change:MaintenanceChange {group_id: $group_id})
  RETURN change.run_id AS changed_by
UNION
  MATCH (change:LearningChange {group_id: $group_id})
  RETURN change.run_id AS changed_by
}
MATCH (run:MaintenanceRun {run_id: changed_by})
RETURN run.run_id AS run_id, run {.*} AS properties
