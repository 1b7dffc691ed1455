// Find the candidates for a question by meaning and by words, with the inputs of the ranking.
//
// access  read
// param   candidates : INTEGER — most memories per leg
// returns rarity   : LIST<FLOAT> — rarity of each word
// returns members  : INTEGER — memories of the group, as far as they are counted
// returns memories : LIST<MAP> — the best of both legs, and their neighbours in conversations
// returns links    : LIST<LIST> — pairs of ids, the second follows the first
// variant filtered
// variant sound
// variant filtered sound
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
  UNION ALL
    // include search/candidates/passages
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
RETURN rarity, members, memories, links
