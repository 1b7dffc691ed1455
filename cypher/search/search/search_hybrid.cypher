// Find the memories nearest a question and around the best of them, ranked with both.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP — with the distance from the nearest anchor, null if not reached
// variant filtered
CALL () {
  // include fragments/ranking/nearest
  RETURN m, similarity
}
// include search/search/hybrid
