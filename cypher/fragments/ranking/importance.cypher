// Bind `importance`, the effective importance of memory `m` after decay.
//
// access  fragment
CALL (m) {
  // include decay/score
  // include decay/effective_importance
  RETURN effective AS importance
}
