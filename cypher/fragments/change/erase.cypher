// Remove the texts of an erased memory from `change`; undo still reports the change.
//
// access  fragment
SET
  change.erased = true,
  change.before_tags = null,
  change.before_state_history = null,
  change.before_obsolete_reason = null,
  change.before_dedup_key = null,
  change.after_tags = null
