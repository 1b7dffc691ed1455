// Bind `version` to the text memory `m` was known by at an instant, or to null for its present one.
//
// Each version begins when the latest of those before it ends: an order that holds also where two
// end at once, or the clock was set back between.
//
// access  fragment
// param   known_at : STRING? — system time, ISO 8601, UTC
CALL (m) {
  OPTIONAL MATCH (m)-[:HAS_VERSION]->(earlier:MemoryVersion)
  WHERE $known_at IS NOT NULL AND earlier.expired_at > datetime($known_at)
  RETURN earlier AS version
  ORDER BY earlier.created_at, earlier.expired_at
  LIMIT 1
}
