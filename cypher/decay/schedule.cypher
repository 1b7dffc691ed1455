// Write down when a run has next something to do for memory `m`.
//
// access  fragment
CALL (m) {
  // include decay/next_due
  SET m.next_due_at = due
  // include decay/note_rules
}
