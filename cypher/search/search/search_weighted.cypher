// Find memories by the profile `weighted`: similarity, recency and importance.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// variant filtered
// variant sound
// variant filtered sound
// include fragments/ranking/nearest
// include fragments/ranking/importance
// include fragments/ranking/score_weighted
// include search/search/best
