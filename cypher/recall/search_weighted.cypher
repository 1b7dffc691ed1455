// Find the memories nearest a question, ranked with recency and importance.
//
// access  read
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to serve
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — limit times the over-fetch factor
// param   limit      : INTEGER
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding_idx FOR $vector
    WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
    LIMIT $candidates
  ) SCORE AS similarity
WITH m, similarity
// include recall/filter
// include recall/score_weighted
ORDER BY score DESC, m.created_at DESC, m.uuid
LIMIT $limit
// include memories/view
RETURN memory, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
