// List the proposals of a group that a decision names.
//
// access  read
// param   group_id     : STRING — the tenant
// param   proposal_ids : LIST<STRING>
// returns proposal_id : STRING
// returns kind        : STRING
// returns from_id     : STRING
// returns to_id       : STRING
// returns score       : FLOAT [1] — 0 to 1
// returns reason      : STRING
// returns status      : STRING
UNWIND $proposal_ids AS proposal_id
MATCH (p:Proposal {uuid: proposal_id, group_id: $group_id})
RETURN p.uuid AS proposal_id, p.kind AS kind, p.from_id AS from_id, p.to_id AS to_id,
       p.score AS score, p.reason AS reason, p.status AS status
