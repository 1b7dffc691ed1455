// Check that none of the earlier runs that a call finishes has moved memory `m`.
//
// access  fragment
// param   finished : LIST<STRING> — the instants of the earlier runs
coalesce(m.state_changed_at <> m.last_decay_update OR NOT m.last_decay_update IN $finished, true)
