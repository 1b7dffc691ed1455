// Choose of the candidates `x` the best by the convex sum of normalised similarity and text score.
//
// Every candidate's cosine is known, whichever leg found it; it is 0 where there is no vector yet.
// Cosine and BM25 are normalised from their zero to the best candidate's. The best are cut from the
// list, not by LIMIT: with one, Neo4j books all that is bound (`looked`, `met`) for each row it
// sorts, 36 MB of its limit a search.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   vector_weight : FLOAT [1] — 0..1; full text has the rest
// param   pool          : INTEGER — memories to choose
// source  Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval (2023)
WITH x, x.m AS m
WITH x, m, coalesce(
  2 * coalesce(x.similarity, vector.similarity.cosine(m.embedding, $vector)) - 1, 0.0) AS cosine
WITH collect({m: m, cosine: cosine, words: x.words, text: x.text, chosen: true}) AS found,
     max(cosine) AS top, max(x.text) + 1e-9 AS best_text
WITH found, best_text, CASE WHEN top > 0 THEN top ELSE 0.0 END + 1e-9 AS best_cosine
UNWIND found AS x
WITH x, x.m AS m, $vector_weight * CASE WHEN x.cosine > 0 THEN x.cosine ELSE 0.0 END / best_cosine
       + (1 - $vector_weight) * x.text / best_text AS score
ORDER BY score DESC, m.created_at DESC, m.uuid
RETURN collect(x)[..$pool] AS pool
