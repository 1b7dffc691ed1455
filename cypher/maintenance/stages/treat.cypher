// Store the decay score of memory `m`, and take the one step that is due, with a record of it.
//
// Most memories take no step: only what differs is written for them. The memory is locked before it
// is read, so that a concurrent access is not lost.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
// include decay/next_due
// include fragments/maintenance/planned_state
WITH *, entered <> m.lifecycle_state AS steps
FOREACH (_ IN CASE WHEN steps THEN [1] ELSE [] END |
  // include fragments/change/before
)
// include decay/enter_state
SET m.decay_score = faded, m.last_decay_update = $now
FOREACH (_ IN CASE WHEN steps OR due = m.next_due_at THEN [] ELSE [1] END |
  SET m.next_due_at = due
)
// include decay/note_protection
WITH m, policy, faded, idle_days, protection, reason, steps, outcome AS entered
WHERE steps
// include decay/enter_state
WITH m
// include decay/schedule
// include fragments/change/after
