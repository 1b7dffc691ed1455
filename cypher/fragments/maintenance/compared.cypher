// Compare what was computed of memory `m` with what it stores.
//
// `stays` is true if it needs no step but its score. `differs` is true if its score or next date
// is not the stored one.
//
// access  fragment
WITH m, faded, due,
  coalesce(outcome = fields.lifecycle_state, false)
    AND coalesce(fields.is_protected, false) = (protection IS NOT NULL) AS stays,
  NOT coalesce(faded = fields.decay_score
    AND (due = fields.next_due_at OR due IS NULL AND fields.next_due_at IS NULL), false) AS differs
