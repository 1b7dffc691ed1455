// Choose of the memories the filters allow those nearest a question in meaning, by comparing all.
//
// The index knows only group and state; filtered after it, a rare type or tag would find nothing.
// What has no vector yet is not near, as in the index.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to serve
// param   vector     : VECTOR — the question, unit length
// param   candidates : INTEGER — at most so many
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states
WITH m
// include fragments/memory/filter
// include fragments/time/text_known
WITH m, vector.similarity.cosine(coalesce(version.embedding, m.embedding), $vector) AS similarity
WHERE similarity IS NOT NULL
ORDER BY similarity DESC, m.uuid
LIMIT $candidates
