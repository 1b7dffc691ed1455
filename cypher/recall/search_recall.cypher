// Find the memories that answer a question, by meaning and words together.
//
// access  read
// param   limit : INTEGER
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// include recall/candidates
// include recall/score_recall
ORDER BY score DESC, m.created_at DESC, m.uuid
LIMIT $limit
// include memories/view
RETURN memory, similarity, score, components
ORDER BY score DESC, m.created_at DESC, m.uuid
