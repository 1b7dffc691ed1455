// Find the memories nearest a question, ranked with recency and importance.
//
// access  read
// returns memory     : MAP
// returns similarity : FLOAT [1]
// returns score      : FLOAT [1]
// returns components : MAP
// include recall/nearest
// include recall/worth
// include recall/score_weighted
// include recall/best
