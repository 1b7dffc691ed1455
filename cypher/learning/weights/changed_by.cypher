// Return the changes of weights that a run made.
//
// access  read
// param   run_id : STRING
// returns group_id : STRING
// returns before   : STRING — JSON; empty for the configured weights
// returns after    : STRING
// returns reason   : STRING
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'weights'
RETURN change.group_id AS group_id, change.before[0] AS before, change.after[0] AS after,
       change.reason AS reason
ORDER BY group_id
