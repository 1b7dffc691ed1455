// Bind `version` to the version of memory `m` known at `known_at`, or to null for the present text.
//
// Each version starts when the latest of the versions before it ends. This order holds even if two
// versions end at the same instant, or the clock was set back in between.
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
