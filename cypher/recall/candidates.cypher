// Find what may answer a question, by meaning and by words, with what a ranking needs to know.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// param   now        : STRING — ISO 8601, UTC
// returns rarity   : LIST<FLOAT> — of each word looked up
// returns memories : LIST<MAP> — the best of both legs, and what was said around them
// returns links    : LIST<LIST> — ids of memories that follow one another
// include recall/worded
CALL (looked) {
  // include recall/weigh_words
  WHERE m.invalid_at IS NULL OR m.invalid_at > datetime($now)
  RETURN collect({m: m, text: text, words: words}) AS worded
}
CALL (worded) {
  CALL (worded) {
    // include recall/nearest
    RETURN m, similarity, 0.0 AS text
  UNION ALL
    UNWIND worded AS x
    WITH x.m AS m, x.text AS text
    ORDER BY text DESC, m.uuid
    LIMIT $candidates
    RETURN m, null AS similarity, text
  }
  // include recall/fuse
  RETURN collect(m) AS pool
}
// include recall/context
// include recall/measured
RETURN rarity, memories, links
