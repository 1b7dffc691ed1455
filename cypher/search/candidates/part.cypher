// Return the token vectors of memory `m`: of its text, or of the passage nearest to the question.
//
// An expression. `version` is null, unless the text at `known_at` was another one.
//
// access  fragment
// param   vector : VECTOR — the question, unit length
coalesce(CASE WHEN m.passage_count > 0 AND version IS NULL
  THEN COLLECT {
    MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
    RETURN {start: p.start, end: p.end, vectors: p.word_vectors}
    ORDER BY vector.similarity.cosine(p.embedding, $vector) DESC, p.start
    LIMIT 1
  }[0]
  ELSE head([(m)-[:HAS_WORDS]->(w:WordVectors) | {start: null, end: null, vectors: w.vectors}])
END, {start: null, end: null, vectors: null})
