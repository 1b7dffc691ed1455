// Choose the best candidates `x` by the convex sum of normalised similarity and text score.
//
// The cosine of every candidate is computed, whichever leg found it; without a vector it is 0. A
// memory with passages has the cosine of the best passage, or of its beginning if that is larger.
// Cosine and BM25 are normalised from 0 to the best candidate's value. The best are a slice of the
// list, not a LIMIT: with a LIMIT, Neo4j books all bound variables (`looked`, `met`) for each row
// that it sorts, 36 MB of its memory limit for one search.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   vector_weight : FLOAT [1] — 0..1; full text has the rest
// param   pool          : INTEGER — number of memories to choose
// source  Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval (2023)
WITH x, x.m AS m
WITH x, m, CASE WHEN m.passage_count > 0 THEN COLLECT {
    MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
    RETURN max(vector.similarity.cosine(p.embedding, $vector))
  }[0] -
  // include fragments/ranking/chance
  END AS part
WITH x, m, part, CASE WHEN part IS NULL AND x.similarity IS NOT NULL THEN x.similarity
  ELSE vector.similarity.cosine(
    // include fragments/memory/vector
  , $vector) END AS whole
WITH x, m, coalesce(2 * CASE WHEN part > whole THEN part ELSE whole END - 1, 0.0) AS cosine
WITH collect({m: m, cosine: cosine, words: x.words, text: x.text, chosen: true}) AS found,
     max(cosine) AS top, max(x.text) + 1e-9 AS best_text
WITH found, best_text, CASE WHEN top > 0 THEN top ELSE 0.0 END + 1e-9 AS best_cosine
UNWIND found AS x
WITH x, x.m AS m, $vector_weight * CASE WHEN x.cosine > 0 THEN x.cosine ELSE 0.0 END / best_cosine
       + (1 - $vector_weight) * x.text / best_text AS score
ORDER BY score DESC, m.created_at DESC, m.uuid
RETURN collect(x)[..$pool] AS pool
