// Find the memories nearest a question, of those the filters allow, with recency and importance.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// include fragments/ranking/nearest_filtered
// include fragments/ranking/importance
// include fragments/ranking/score_weighted
// include search/search/best
