// List the proposals that a run decided, in the order of ids.
//
// access  read
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   after_id : STRING — the last of the batch before; empty for the first
// param   limit    : INTEGER
// returns proposal_id : STRING
MATCH (p:Proposal {decided_run_id: $run_id})
WHERE p.uuid > $after_id AND ($group_id IS NULL OR p.group_id = $group_id)
WITH p.uuid AS proposal_id ORDER BY proposal_id LIMIT $limit
RETURN proposal_id
ORDER BY proposal_id
