// List the proposals of a run that an undo keeps, because they were decided since.
//
// access  read
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// returns memory_id : STRING — the first memory of the proposal
// returns refused   : STRING — the reason
MATCH (p:Proposal {run_id: $run_id})
WHERE p.status <> 'open' AND ($group_id IS NULL OR p.group_id = $group_id)
RETURN p.from_id AS memory_id,
       'its proposal ' + p.uuid + ' was ' + p.status + ' since; undo run ' + p.decided_run_id
         + ' first' AS refused
ORDER BY memory_id, refused
