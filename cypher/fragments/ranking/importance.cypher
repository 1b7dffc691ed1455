// Say what importance memory `m` has in a ranking, in `importance`: what is left of it by now.
//
// access  fragment
CALL (m) {
  // include decay/score
  // include decay/effective_importance
  RETURN effective AS importance
}
