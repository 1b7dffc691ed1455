// Find what may answer a question, by meaning and by words, with what a ranking needs to know.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// param   now        : STRING — ISO 8601, UTC
// returns rarity   : LIST<FLOAT> — of each word looked up
// returns memories : LIST<MAP> — the best of both legs, and what was said around them
// returns links    : LIST<LIST> — ids of memories that follow one another
// include answers/worded
CALL (worded) {
  CALL (worded) {
    // include recall/nearest
    RETURN m, similarity, 0.0 AS text
  UNION ALL
    // include answers/most_worded
    WHERE m.invalid_at IS NULL OR m.invalid_at > datetime($now)
    WITH m, text ORDER BY text DESC LIMIT $candidates
    RETURN m, null AS similarity, text
  }
  // include answers/fuse
  RETURN collect(m) AS pool
}
// include answers/context
// include answers/measured
RETURN rarity, memories, links
