// Collect in `met` the similarity of each memory `m`, and the weights of the words it contains.
//
// A memory's total beyond the words for which it is listed is divided among the words that are too
// common to be listed.
//
// access  fragment
// param   hits : INTEGER — a word with as many holders is too common to be listed
WITH m, max(similarity) AS similarity, sum(weight) AS listed, sum(share) AS shared,
     max(total) AS total,
     collect(CASE WHEN position IS NOT NULL THEN [position, weight] END) AS words
WITH m, similarity, listed, words,
     CASE WHEN total > 1.01 * shared + 0.01 THEN total - shared ELSE 0.0 END AS rest
WITH m, similarity, listed, words, rest, CASE WHEN rest > 0 THEN [
  word IN looked WHERE word.holders >= $hits AND NOT word.position IN [held IN words | held[0]] |
  word.position
] ELSE [] END AS unlisted
RETURN collect({
  m: m, similarity: similarity, text: listed + rest,
  words: words + [position IN unlisted | [position, rest / size(unlisted)]]
}) AS met
