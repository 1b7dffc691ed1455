// Find the memories nearest a question and around them, of those the filters allow.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP — with the distance from the nearest anchor, null if not reached
CALL () {
  // include fragments/ranking/nearest_filtered
  RETURN m, similarity
}
// include search/search/hybrid
