// Score candidates by the convex sum of their normalised similarity and text score.
//
// Every candidate's cosine is computed, whichever leg found it. Cosine and BM25 are normalised from
// their zero to the best candidate's.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   vector_weight : FLOAT [1] — 0..1; full text has the rest
// source  Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval (2023)
WITH m, max(words) AS words, max(similarity) AS near
WITH m, words, coalesce(near, vector.similarity.cosine(m.embedding, $vector)) AS similarity
WITH collect({m: m, similarity: similarity, words: words,
              cosine: coalesce(2 * similarity - 1, 0.0)}) AS found
WITH found,
     reduce(best = 1e-9, x IN found | CASE WHEN x.cosine > best THEN x.cosine ELSE best END)
       AS best_cosine,
     reduce(best = 1e-9, x IN found | CASE WHEN x.words > best THEN x.words ELSE best END)
       AS best_words
UNWIND found AS x
WITH x.m AS m, x.similarity AS similarity, {
  semantic: CASE WHEN x.cosine > 0 THEN x.cosine / best_cosine ELSE 0.0 END,
  text: x.words / best_words
} AS components
WITH m, similarity, components,
     $vector_weight * components.semantic + (1 - $vector_weight) * components.text AS score
