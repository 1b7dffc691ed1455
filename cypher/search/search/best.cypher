// Return the best memories with the components of their score.
//
// access  fragment
// param   limit : INTEGER
WITH m, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
LIMIT $limit
// include fragments/memory/full
RETURN memory, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
