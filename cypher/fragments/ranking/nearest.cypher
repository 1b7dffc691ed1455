// Choose the memories `m` nearest to a question in meaning, by the vector index.
//
// The index filters by group and state. With a filter after it, a small tenant would find nothing.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most memories
// param   now        : STRING — ISO 8601, UTC
MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding_idx FOR $vector
    WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
    LIMIT $candidates
  ) SCORE AS similarity
WITH m, similarity
WHERE m.invalid_at IS NULL OR m.invalid_at > $now
