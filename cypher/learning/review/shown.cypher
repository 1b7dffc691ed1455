// Return proposal `p` with its memories or entities `a` and `b`.
//
// access  fragment
CALL (p, a) {
  WITH p, a AS e
  RETURN
    // include learning/review/described
    AS first
}
CALL (p, b) {
  WITH p, b AS e
  RETURN
    // include learning/review/described
    AS second
}
RETURN p.uuid AS proposal_id, p.kind AS kind, p.score AS score, p.reason AS reason,
       p.status AS status,
       first, second,
       p.created_at AS created_at, p.run_id AS run_id, p.decided_at AS decided_at,
       p.decided_by AS decided_by, p.decided_run_id AS decided_run_id,
       head([stored IN [p] |
         // include fragments/origin/stored
       ]) AS origin
