// Find the neighbours of the best hits, scored by the profile `weighted`.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// returns distance   : INTEGER — relations from the nearest anchor; null if not reached
// returns passage    : LIST<INTEGER>? — start and end in a long content
// variant sound
// include search/retrieval/neighbours
CALL (m, similarity, distance, degree) {
  // include fragments/ranking/importance
  // include fragments/ranking/score_weighted
  RETURN score, components
}
WITH similarity, score, components, distance,
  // include fragments/memory/brief
  AS memory,
  // include search/retrieval/passage
  AS passage
RETURN memory, similarity, score, components, distance, passage
