// Return the best memories, described, with what their score is made of.
//
// access  fragment
// param   limit : INTEGER
WITH m, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
LIMIT $limit
// include fragments/memory/full
RETURN memory, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
