// Return a batch of memories whose mentions a run has read, with what an undo restores.
//
// access  read
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns tenant     : STRING
// returns memory_ids : LIST<STRING>
// returns before     : LIST<STRING> — notes of what was read before the run
// returns after      : LIST<STRING> — notes of what the run has read
// returns earlier    : LIST<STRING> — the mentions before the run, as JSON
MATCH (change:LearningChange {run_id: $run_id})
WHERE change.stage = 'entities' AND ($group_id IS NULL OR change.group_id = $group_id)
RETURN change.group_id AS tenant, change.memory_ids AS memory_ids, change.before AS before,
       change.after AS after, change.earlier AS earlier
ORDER BY memory_ids LIMIT 1
