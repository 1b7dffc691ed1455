// List the open proposals of a group that a decision is about, the highest score first.
//
// access  read
// returns proposal_id : STRING
// returns kind        : STRING
// returns from_id     : STRING
// returns to_id       : STRING
// returns score       : FLOAT [1] — 0 to 1
// returns reason      : STRING
// returns status      : STRING
// include learning/review/chosen
RETURN p.uuid AS proposal_id, p.kind AS kind, p.from_id AS from_id, p.to_id AS to_id,
       p.score AS score, p.reason AS reason, p.status AS status
ORDER BY score DESC, proposal_id
