// Choose the memories `m` with the passages nearest to a question in meaning, by the vector index.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most passages
// param   now        : STRING — ISO 8601, UTC
MATCH (p:Passage)
  SEARCH p IN (
    VECTOR INDEX passage_embedding_idx FOR $vector
    WHERE p.group_id = $group_id
    LIMIT $candidates
  ) SCORE AS near
MATCH (m:Memory)-[:HAS_PASSAGE]->(p)
WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
  AND (m.invalid_at IS NULL OR m.invalid_at > $now)
WITH m, max(near) AS near
WITH m, near -
  // include fragments/ranking/chance
  AS similarity
