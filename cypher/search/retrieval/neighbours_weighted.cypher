// Find the neighbours of the best hits, scored by the profile `weighted`.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// returns distance   : INTEGER — relations from the nearest anchor; null if not reached
// include search/retrieval/neighbours
CALL (m, similarity, distance, degree) {
  // include fragments/ranking/importance
  // include fragments/ranking/score_weighted
  RETURN score, components
}
WITH similarity, score, components, distance,
  // include fragments/memory/brief
  AS memory
RETURN memory, similarity, score, components, distance
