// Describe memory `m` in a list; `memory` is null if another client has damaged it.
//
// access  fragment
OPTIONAL CALL (m) {
  // include fragments/memory/full
  RETURN memory
}
