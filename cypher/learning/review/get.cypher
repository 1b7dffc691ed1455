// Read a proposal of a group, decided or not, unless one of its memories was deleted.
//
// access  read
// param   group_id    : STRING — the tenant
// param   proposal_id : STRING
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
MATCH (p:Proposal {uuid: $proposal_id, group_id: $group_id})
// include learning/review/ends
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
// include learning/review/shown
