// Check that a call has not treated memory `m` yet: in this run, or in an earlier one it finished.
//
// So a memory takes one step in a call, though the call finishes an interrupted run and then runs.
//
// access  fragment
// param   now      : STRING — the instant of the run, ISO 8601, UTC
// param   finished : LIST<STRING> — the instants of the earlier runs that the call has finished
coalesce(m.last_decay_update <> $now, true) AND coalesce(
  m.state_changed_at <> m.last_decay_update OR NOT m.last_decay_update IN $finished, true
)
