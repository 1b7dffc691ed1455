// Choose the filtered memories `m` with the passages nearest to a question.
//
// The filter follows the vector index. If that leaves too few, the passages of all memories that
// match are compared. The passages are those of the present text; a memory whose text at `known_at`
// was another one is left out.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most memories
// param   searched   : INTEGER — passages that the index returns to the filter
MATCH (p:Passage)
  SEARCH p IN (
    VECTOR INDEX passage_embedding_idx FOR $vector
    WHERE p.group_id = $group_id
    LIMIT $searched
  ) SCORE AS near
WITH collect({p: p, near: near}) AS passages
CALL (passages) {
  UNWIND passages AS x
  WITH x.p AS p, x.near AS near
  MATCH (m:Memory)-[:HAS_PASSAGE]->(p)
  WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
  WITH m, max(near) AS near
  // include fragments/memory/filter
  // include fragments/time/text_known
  WITH m, near, version WHERE version IS NULL
  WITH m, near ORDER BY near DESC, m.uuid LIMIT $candidates
  RETURN collect({m: m, near: near}) AS chosen
}
WITH chosen, size(chosen) = $candidates OR size(passages) < $searched AS enough
CALL (chosen, enough) {
  UNWIND CASE WHEN enough THEN chosen ELSE [] END AS x
  RETURN x.m AS m, x.near AS near
UNION ALL
  WITH NOT enough AS needed
  // include fragments/memory/narrowed
  // include fragments/memory/filter
  WITH m WHERE m.passage_count > 0
  // include fragments/time/text_known
  WITH m WHERE version IS NULL
  MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
  WITH m, max(vector.similarity.cosine(p.embedding, $vector)) AS near
  RETURN m, near
  ORDER BY near -
    // include fragments/ranking/chance
    DESC, m.uuid
  LIMIT $candidates
}
WITH m, near -
  // include fragments/ranking/chance
  AS similarity
