// Return true if memory `m` counts now: it is neither deleted nor expired, and has not ended.
//
// An expression.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
(m.soft_deleted_at IS NULL AND coalesce(m.lifecycle_state <> 'EXPIRED', false)
  AND (m.invalid_at IS NULL OR m.invalid_at > $now))
