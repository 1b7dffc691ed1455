// Find the memories that answer a question, of those the filters allow.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
CALL () {
  // include recall/nearest_filtered
  RETURN m, similarity, 0.0 AS words
UNION ALL
  // include recall/worded
  // include recall/filter
  RETURN m, null AS similarity, words
  ORDER BY words DESC, m.uuid
  LIMIT $candidates
}
// include recall/fuse
// include recall/best
