// List the proposals of a group by status, the highest score first.
//
// Proposals about a deleted memory are left out, open ones about an obsolete or ended memory, and
// those about an entity that only deleted memories mention, or none.
//
// access  read
// param   limit : INTEGER — most proposals
// returns proposal_id : STRING
// returns kind        : STRING
// returns score       : FLOAT [1] — 0 to 1
// returns reason      : STRING
// returns status      : STRING
// returns first       : MAP — memory_id and content, or entity_id, kind and content
// returns second      : MAP — as first
// returns created_at  : STRING
// returns run_id      : STRING? — the run that proposed it
// returns decided_at  : STRING?
// returns decided_by  : STRING?
// returns decided_run_id : STRING? — the run to undo the decision
// returns origin      : MAP? — way_in, caller, authority and origin_id
// include learning/review/chosen
WITH p, a, b ORDER BY p.score DESC, p.uuid LIMIT $limit
// include learning/review/shown
ORDER BY score DESC, proposal_id
