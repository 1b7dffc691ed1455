// Find what may answer a question, of those the filters allow, with what a ranking needs to know.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// returns rarity   : LIST<FLOAT> — of each word looked up
// returns memories : LIST<MAP> — the best of both legs, and what was said around them
// returns links    : LIST<LIST> — ids of memories that follow one another
// include answers/worded
CALL (worded) {
  CALL (worded) {
    // include recall/nearest_filtered
    RETURN m, similarity, 0.0 AS text
  UNION ALL
    // include answers/most_worded
    // include recall/filter
    WITH m, text ORDER BY text DESC LIMIT $candidates
    RETURN m, null AS similarity, text
  }
  // include answers/fuse
  RETURN collect(m) AS pool
}
// include answers/context
CALL (around) {
  UNWIND around AS m
  WITH m
  // include recall/filter
  RETURN collect(m) AS allowed
}
WITH looked, worded, pool, links, allowed AS around
// include answers/measured
RETURN rarity, memories, links
