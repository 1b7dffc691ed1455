// Check that a call has not treated memory `m` yet: in this run, or in an earlier one it finished.
//
// So a memory takes one step in a call, though the call finishes an interrupted run and then runs.
//
// access  fragment
// param   now : STRING — the instant of the run, ISO 8601, UTC
coalesce(m.last_decay_update <> $now, true) AND
// include fragments/maintenance/unmoved
