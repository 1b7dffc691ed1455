// Find what may answer a question, by meaning and by words, with what a ranking needs to know.
//
// access  read
// param   candidates : INTEGER — at most so many per leg
// returns rarity   : LIST<FLOAT> — of each word looked up
// returns memories : LIST<MAP> — the best of both legs, and what was said around them
// returns links    : LIST<LIST> — ids of memories that follow one another
// variant filtered
// include search/candidates/looked
CALL (looked) {
  CALL (looked) {
    // include search/candidates/worded
    RETURN m, null AS similarity, position, weight, share, null AS total
  UNION ALL
    // include search/candidates/together
    RETURN m, null AS similarity, null AS position, 0.0 AS weight, 0.0 AS share, total
  UNION ALL
    // include fragments/ranking/nearest
    RETURN m, similarity, null AS position, 0.0 AS weight, 0.0 AS share, null AS total
  }
  // include search/candidates/met
}
CALL (met) {
  CALL (met) {
    UNWIND [x IN met WHERE x.similarity IS NOT NULL] AS x
    RETURN x
  UNION ALL
    // include search/candidates/most_worded
    // include search/candidates/allowed
    WITH x LIMIT $candidates
    WITH x WHERE x.similarity IS NULL
    RETURN x
  }
  // include fragments/ranking/fuse
}
// include search/candidates/context
// include search/candidates/measured
RETURN rarity, memories, links
