// Add the uses of session `s`, which is about to be deleted, to those that its relations keep.
//
// access  fragment
CALL (s) {
  // include fragments/session/used_together
  SET
    r.past_uses = coalesce(toIntegerOrNull(r.past_uses), 0) + 1,
    r.past_used_at = CASE WHEN r.past_used_at > used_at THEN r.past_used_at ELSE used_at END
}
