// Bind `around` and `links` as `context` does, for memories that match the filters.
//
// access  fragment
// include search/candidates/context
CALL (around) {
  UNWIND around AS m
  WITH m
  // include fragments/memory/filter
  RETURN collect(m) AS allowed
}
WITH looked, members, met, pool, links, allowed AS around
