// Describe memory `m` in a list; `memory` is null if another client has damaged it.
//
// access  fragment
OPTIONAL CALL (m) {
  WITH m WHERE
  // include decay/sound
  // include fragments/memory/full
  RETURN memory
}
