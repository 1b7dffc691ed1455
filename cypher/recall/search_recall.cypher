// Find the memories that answer a question, by meaning and words together.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// param   now        : STRING — ISO 8601, UTC
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
CALL () {
  // include recall/nearest
  RETURN m, similarity, 0.0 AS words
UNION ALL
  // include recall/worded
  WHERE m.invalid_at IS NULL OR m.invalid_at > datetime($now)
  RETURN m, null AS similarity, words
  ORDER BY words DESC, m.uuid
  LIMIT $candidates
}
// include recall/fuse
// include recall/best
