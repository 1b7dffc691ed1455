// Store the decay score of memory `m`, and the instant from which a run has work with it.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
CALL (m) {
  // include decay/next_due
  SET m.decay_score = faded, m.last_decay_update = $now, m.next_due_at = due
  // include decay/note_protection
  // include decay/note_rules
}
