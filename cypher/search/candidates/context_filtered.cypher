// Find the context of the candidates, as far as the filters allow it.
//
// access  fragment
// include search/candidates/context
CALL (around) {
  UNWIND around AS m
  WITH m
  // include fragments/memory/filter
  RETURN collect(m) AS allowed
}
WITH looked, met, pool, links, allowed AS around
