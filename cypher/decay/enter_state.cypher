// Move memory `m` into the state `entered` for `reason`, and record the numbers in its history.
//
// A memory that is already in the state gets no entry. Follows decay/next_state, which binds the
// numbers. A caller then schedules the memory, so the hash of the rules is noted for its group.
//
// access  fragment
// param   now    : STRING — ISO 8601, UTC
// param   decay  : MAP — the settings of decay; `because`: the caller's reason, as JSON
FOREACH (_ IN CASE WHEN entered = m.lifecycle_state THEN [] ELSE [1] END |
  SET
    m.state_history = (coalesce(m.state_history, []) + [
      '{"at": "' + $now + '", "from": "' + m.lifecycle_state + '", "to": "' + entered +
      '", "reason": "' + reason + '"' + coalesce(', "because": ' + $decay.because, '') +
      ', "policy": "' + policy +
      '", "decay_score": ' + coalesce(toString(faded), 'null') +
      ', "idle_days": ' + toString(round(idle_days, 6)) +
      coalesce(', "protection": "' + protection + '"', '') +
      coalesce(', "run_id": "' + $decay.run_id + '"', '') + ', "rules": "' + $decay.rules + '"}'
    ])[-$decay.state_history_length..],
    m.state_changed_at = $now,
    m.state_reason = reason,
    m.soft_deleted_at = CASE entered WHEN 'SOFT_DELETED' THEN $now END,
    m.dedup_key = CASE entered WHEN 'SOFT_DELETED' THEN null ELSE m.dedup_key END,
    m.packing_due = CASE WHEN 'ARCHIVED' IN [m.lifecycle_state, entered] THEN true
      ELSE m.packing_due END,
    m.lifecycle_state = entered
)
// include decay/note_rules
