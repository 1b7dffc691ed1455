// Choose the filtered memories `m` nearest to a question in meaning.
//
// The vector index contains group and state only, so the filter follows it. If that leaves too few,
// as with a rare tag, all memories that match are compared. So are they with `known_at`, because
// the index contains vectors of present texts. A memory without a vector is left out.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most memories
// param   searched   : INTEGER — memories that the index returns to the filter
// param   known_at   : STRING? — system time, ISO 8601, UTC
MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding_idx FOR $vector
    WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
    LIMIT $searched
  ) SCORE AS similarity
WITH collect({m: m, similarity: similarity}) AS near
CALL (near) {
  UNWIND near AS x
  WITH x.m AS m, x.similarity AS similarity
  // include fragments/memory/filter
  WITH m, similarity ORDER BY similarity DESC, m.uuid LIMIT $candidates
  RETURN collect({m: m, similarity: similarity}) AS chosen
}
WITH chosen, $known_at IS NULL AND size(chosen) = $candidates AS enough
CALL (chosen, enough) {
  UNWIND CASE WHEN enough THEN chosen ELSE [] END AS x
  RETURN x.m AS m, x.similarity AS similarity
UNION ALL
  WITH NOT enough AS needed
  // include fragments/memory/narrowed
  // include fragments/memory/filter
  // include fragments/time/text_known
  WITH m, vector.similarity.cosine(coalesce(version.embedding,
    // include fragments/memory/vector
  ), $vector) AS similarity
  WHERE similarity IS NOT NULL
  RETURN m, similarity
  ORDER BY similarity DESC, m.uuid
  LIMIT $candidates
}
