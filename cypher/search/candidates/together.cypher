// Find the memories `m` with the most of all the words, if one is too common to list its holders.
//
// In one query, where each word is boosted so that it adds its share: `total` is their sum. Without
// it, in a large tenant, a memory that holds every word of the question could be missed.
//
// access  fragment
// param   lookups    : LIST<STRING> — Lucene, one per word, each with the group's key required
// param   hits       : INTEGER — a word with as many is too common
// param   candidates : INTEGER — at most so many
WITH [word IN looked WHERE word.holders > 0] AS said
WITH said WHERE any(word IN said WHERE word.holders >= $hits)
WITH reduce(
  query = '', word IN said | query + '(' + $lookups[word.position] + ')^'
    + (1 + toInteger(1000 * word.rarity / word.scores[0])) + ' '
) AS query
CALL db.index.fulltext.queryNodes('memory_text_idx', query, {limit: $candidates})
  YIELD node, score
WITH node AS m, score / 1000 AS total
