// Bind `faded`, the decay score of memory `m` at this instant: 0 fresh to 1 gone.
//
// The score is computed from the memory and its policy, not from the stored score. The stored score
// counts only where that is impossible: the process does not have the policy, or the memory lacks a
// property that the policy reads.
//
// A policy is a curve: amplitude * exp(-rate * days) + offset is `kept`, 0 to 1. The score is
// rounded to `places` decimal places. `idle_ms` is the time since the memory was last accessed,
// else changed, else created, or since the end of its protection if that is later. An instant in
// the future counts as now.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/protection
WITH *,
  coalesce(fields.decay_policy, $decay.group_policies[fields.group_id], $decay.policy) AS policy,
  datetime(
    coalesce(fields.last_accessed_at, fields.updated_at, toString(fields.created_at))
  ).epochMillis AS used_ms,
  CASE
    WHEN fields.preserve_until < $now THEN datetime(fields.preserve_until).epochMillis
    WHEN protection IS NULL AND fields.is_protected THEN datetime($now).epochMillis
    WHEN fields.unprotected_at IS NOT NULL THEN datetime(fields.unprotected_at).epochMillis
  END AS unprotected_ms,
  datetime($now).epochMillis AS now_ms
WITH *,
  CASE WHEN unprotected_ms > used_ms THEN unprotected_ms ELSE used_ms END AS anchor_ms,
  CASE
    WHEN now_ms < used_ms OR now_ms < unprotected_ms THEN 0
    WHEN unprotected_ms > used_ms THEN now_ms - unprotected_ms
    ELSE now_ms - used_ms
  END AS idle_ms,
  CASE policy
    // include decay/policies/*
    ELSE {
      amplitude: 1.0 - coalesce(fields.decay_score, 0.0), offset: 0.0, rate: 0.0, places: 6,
      states: 'unchanged', expires: false
    }
  END AS curve
WITH *, curve.amplitude * exp(-curve.rate * (idle_ms / 86400000.0)) + curve.offset AS kept
WITH *, CASE
  WHEN protection IS NOT NULL OR kept >= 1.0 THEN 0.0
  WHEN kept <= 0.0 THEN 1.0
  ELSE coalesce(round(1.0 - kept, curve.places), fields.decay_score, 0.0)
END AS faded
