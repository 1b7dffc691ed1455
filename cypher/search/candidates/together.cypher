// Find the memories `m` with most of the words, if a word is too common to list its holders.
//
// One query boosts each word so that it adds its share; `total` is their sum. Without this query a
// memory that contains every word of the question could be missed in a large tenant.
//
// access  fragment
// param   lookups    : LIST<STRING> — a Lucene query per word, which requires the key of the group
// param   hits       : INTEGER — a word with as many holders is too common to be listed
// param   candidates : INTEGER — most memories
WITH [word IN looked WHERE word.holders > 0] AS said
WITH said WHERE any(word IN said WHERE word.holders >= $hits)
WITH reduce(
  query = '', word IN said | query + '(' + $lookups[word.position] + ')^'
    + (1 + toInteger(1000 * word.rarity / word.scores[0])) + ' '
) AS query
CALL db.index.fulltext.queryNodes('memory_text_idx', query, {limit: $candidates})
  YIELD node, score
WITH node AS m, score / 1000 AS total
