// Choose the filtered memories `m` with the passages nearest to a question; compare all of them.
//
// The passages are those of the present text; a memory whose text at `known_at` was another one is
// left out.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most memories
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states AND m.passage_count > 0
WITH m
// include fragments/memory/filter
// include fragments/time/text_known
WITH m WHERE version IS NULL
MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
WITH m, max(vector.similarity.cosine(p.embedding, $vector)) AS near
WITH m, near -
  // include fragments/ranking/chance
  AS similarity
ORDER BY similarity DESC, m.uuid
LIMIT $candidates
