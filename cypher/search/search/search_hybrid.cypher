// Find memories by the profile `hybrid`: the nearest to a question, and their neighbours.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP — with the distance from the nearest anchor, null if not reached
// variant filtered
// variant sound
// variant filtered sound
CALL () {
  // include fragments/ranking/nearest
  RETURN m, similarity
}
// include search/search/hybrid
