// Choose the filtered memories nearest to a question in meaning, by comparing all of them.
//
// The index contains group and state only. With a filter after it, a rare type or tag would find
// nothing. A memory without a vector is left out, as in the index.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to return
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — most memories
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states
WITH m
// include fragments/memory/filter
// include fragments/time/text_known
WITH m, vector.similarity.cosine(coalesce(version.embedding,
  // include fragments/memory/vector
), $vector) AS similarity
WHERE similarity IS NOT NULL
ORDER BY similarity DESC, m.uuid
LIMIT $candidates
