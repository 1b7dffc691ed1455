// Say when a run has next something to do for memory `m`, in `due`; null means never.
//
// The score passes `level` when what is kept falls to 1 - the least multiple of the rounding that
// is above it, less half of one: the curve is solved for that.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/next_state
WITH *, CASE
  WHEN curve.states = 'by_score' THEN CASE m.lifecycle_state
    WHEN 'ACTIVE' THEN {days: -1.0, level: 1.0 - $decay.adaptive_active_threshold}
    WHEN 'DORMANT' THEN {days: -1.0, level: 1.0 - $decay.adaptive_archival_threshold}
    WHEN 'ARCHIVED' THEN {days: -1.0, level: 1.0 - $decay.adaptive_expiration_threshold} END
  WHEN curve.states = 'stepwise' THEN CASE m.lifecycle_state
    WHEN 'ACTIVE' THEN {days: $decay.dormant_days, level: $decay.dormant_score}
    WHEN 'DORMANT' THEN {days: $decay.archived_days, level: $decay.archived_score}
    WHEN 'ARCHIVED' THEN CASE
      WHEN curve.expires AND m.importance < $decay.expired_below_importance
      THEN {days: $decay.expired_days, level: $decay.expired_score} END END
END AS step
WITH *, 10 ^ curve.places AS unit
WITH *, 1.0 - (floor(step.level * unit + 1e-6) + 0.5) / unit - curve.offset AS left
WITH *, CASE
  WHEN left >= curve.amplitude THEN 0.0
  WHEN left > 0.0 AND curve.rate > 0.0 THEN log(curve.amplitude / left) / curve.rate
END AS level_days
WITH *, CASE
  WHEN m.lifecycle_state = 'SOFT_DELETED'
    THEN datetime(m.soft_deleted_at).epochMillis + $decay.soft_delete_retention_ms + 1
  WHEN target <> m.lifecycle_state OR m.preserve_until < $now THEN now_ms
  WHEN protection = 'until' THEN datetime(m.preserve_until).epochMillis + 1
  WHEN protection IS NOT NULL THEN null
  WHEN m.obsolete_at IS NOT NULL
    THEN datetime(m.obsolete_at).epochMillis + $decay.obsolete_retention_ms + 1
  ELSE anchor_ms + CASE
    WHEN step.days >= level_days THEN toInteger(floor(step.days * 86400000)) + 1
    ELSE toInteger(ceil(level_days * 86400000)) END
END AS due_ms
WITH *, CASE WHEN due_ms < 253402300800000
  THEN format(datetime({epochMillis: due_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") END AS due
