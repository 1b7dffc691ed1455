// Gather in `met` what is known of each memory `m`: its `similarity`, and the words it holds.
//
// access  fragment
WITH m, max(similarity) AS similarity, sum(weight) AS text,
     collect(CASE WHEN position IS NOT NULL THEN [position, weight] END) AS words
RETURN collect({m: m, similarity: similarity, text: text, words: words}) AS met
