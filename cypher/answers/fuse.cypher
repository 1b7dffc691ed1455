// Choose of the candidates `m` the best by the convex sum of normalised similarity and text score.
//
// Every candidate's cosine is computed, whichever leg found it. Cosine and BM25 are normalised from
// their zero to the best candidate's.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   vector_weight : FLOAT [1] — 0..1; full text has the rest
// param   pool          : INTEGER — memories to choose
// source  Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval (2023)
WITH m, max(text) AS text, max(similarity) AS near
WITH m, text, 2 * coalesce(near, vector.similarity.cosine(m.embedding, $vector)) - 1 AS cosine
WITH m, text, CASE WHEN cosine > 0 THEN cosine ELSE 0.0 END AS cosine
WITH collect({m: m, cosine: cosine, text: text}) AS found,
     max(cosine) + 1e-9 AS best_cosine, max(text) + 1e-9 AS best_text
UNWIND found AS x
WITH x.m AS m,
     $vector_weight * x.cosine / best_cosine + (1 - $vector_weight) * x.text / best_text AS score
ORDER BY score DESC, m.created_at DESC, m.uuid
LIMIT $pool
