// Say how far memory `m` has faded by now, in `faded`: 0 fresh to 1 gone; nothing stored is used.
//
// Where that cannot be said, the stored score stays: of a policy that is not known here, as where
// its file is in no folder of this process, or of a memory that lacks what the policy reads.
//
// A policy is a curve: amplitude * exp(-rate * days) + offset is what is kept, 0 to 1, rounded to
// so many places after the point. `idle_ms` is how long ago the memory was last accessed, else
// changed, else made; an instant that lies ahead counts as now.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/protection
WITH *,
  coalesce(m.decay_policy, $decay.group_policies[m.group_id], $decay.policy) AS policy,
  datetime(coalesce(m.last_accessed_at, m.updated_at, toString(m.created_at))).epochMillis
    AS anchor_ms,
  datetime($now).epochMillis AS now_ms
WITH *,
  CASE WHEN now_ms > anchor_ms THEN now_ms - anchor_ms ELSE 0 END AS idle_ms,
  CASE policy
    // include decay/policies/*
    ELSE {
      amplitude: 1.0 - coalesce(m.decay_score, 0.0), offset: 0.0, rate: 0.0, places: 6,
      states: 'unchanged', expires: false
    }
  END AS curve
WITH *, curve.amplitude * exp(-curve.rate * (idle_ms / 86400000.0)) + curve.offset AS kept
WITH *, CASE
  WHEN protection IS NOT NULL OR kept >= 1.0 THEN 0.0
  WHEN kept <= 0.0 THEN 1.0
  ELSE coalesce(round(1.0 - kept, curve.places), m.decay_score, 0.0)
END AS faded
