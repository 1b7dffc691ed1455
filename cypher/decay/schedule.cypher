// Store the instant from which a run has work with memory `m`.
//
// access  fragment
CALL (m) {
  // include decay/next_due
  SET m.next_due_at = due
  // include decay/note_protection
  // include decay/note_rules
}
