// Return start and end of the passage of memory `m` that is nearest to the question, or null.
//
// An expression. `version` is null, unless the text at `known_at` was another one.
//
// access  fragment
// param   vector : VECTOR — the question, unit length
CASE WHEN m.passage_count > 0 AND version IS NULL
  THEN COLLECT {
    MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
    RETURN [p.start, p.end]
    ORDER BY vector.similarity.cosine(p.embedding, $vector) DESC, p.start
    LIMIT 1
  }[0]
END
