// Bind `around`, the memories beside those of `pool`, and `links`, their order.
//
// They are up to two turns away in a conversation, or of a short period that the question names.
//
// access  fragment
CALL (pool) {
  UNWIND pool AS x
  WITH x.m AS a
  // include search/candidates/beside
  RETURN collect(DISTINCT b) AS near, collect(link) AS links
}
CALL (near) {
  UNWIND near AS a
  // include search/candidates/beside
  RETURN collect(DISTINCT b) AS far, collect(link) AS further
}
CALL (pool) {
  // include search/candidates/dated
  RETURN collect(m) AS dated
}
WITH looked, members, met, pool, near + far + dated AS around, links + further AS links
