// Count the changes of state that a run made.
//
// access  read
// param   run_id : STRING
// returns was    : STRING
// returns became : STRING
// returns count  : INTEGER
MATCH (change:MaintenanceChange {run_id: $run_id})
WHERE change.before_lifecycle_state <> change.after_lifecycle_state
RETURN change.before_lifecycle_state AS was, change.after_lifecycle_state AS became,
       count(*) AS count
ORDER BY was, became
