// Bind `around`, the memories up to two turns from those of `pool`, and `links`, their order.
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
WITH looked, members, met, pool, near + far AS around, links + further AS links
