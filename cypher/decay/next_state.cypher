// Bind `target`, the state that the rules give memory `m`, and `outcome`, that after the next run.
//
// Both may be PURGED. They differ where a policy goes by score: a run deletes at once the memories
// that expire. They also differ after an undo: until `held_until`, no run moves the memory.
//
// A stepwise policy takes one step at a time, and never back: only access, protection and recovery
// lead back. A memory marked obsolete stays EXPIRED until its own retention is over. `retention` is
// rounded as finely as a policy may round. So a step is taken at the instant of decay/next_due.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — the settings of decay
// include decay/score
WITH *, idle_ms / 86400000.0 AS idle_days, round(1.0 - faded, 9) AS retention
WITH *, CASE
  WHEN fields.lifecycle_state = 'SOFT_DELETED' THEN CASE
    WHEN now_ms - datetime(fields.soft_deleted_at).epochMillis > $decay.soft_delete_retention_ms
      THEN 'PURGED' ELSE 'SOFT_DELETED' END
  WHEN fields.obsolete_at IS NOT NULL THEN CASE
    WHEN protection IS NULL
      AND now_ms - datetime(fields.obsolete_at).epochMillis > $decay.obsolete_retention_ms
      THEN 'SOFT_DELETED' ELSE 'EXPIRED' END
  WHEN protection IS NOT NULL THEN 'ACTIVE'
  WHEN curve.states = 'unchanged' THEN fields.lifecycle_state
  WHEN curve.states = 'by_score' THEN CASE
    WHEN retention >= $decay.adaptive_active_threshold THEN 'ACTIVE'
    WHEN retention >= $decay.adaptive_archival_threshold THEN 'DORMANT'
    WHEN retention >= $decay.adaptive_expiration_threshold THEN 'ARCHIVED'
    WHEN fields.lifecycle_state = 'EXPIRED' THEN 'SOFT_DELETED'
    ELSE 'EXPIRED' END
  WHEN fields.lifecycle_state = 'ACTIVE'
    AND idle_days > $decay.dormant_days AND faded > $decay.dormant_score THEN 'DORMANT'
  WHEN fields.lifecycle_state = 'DORMANT'
    AND idle_days > $decay.archived_days AND faded > $decay.archived_score THEN 'ARCHIVED'
  WHEN fields.lifecycle_state = 'ARCHIVED' AND curve.expires
    AND idle_days > $decay.expired_days AND faded > $decay.expired_score
    AND fields.importance < $decay.expired_below_importance THEN 'EXPIRED'
  WHEN fields.lifecycle_state = 'EXPIRED' THEN 'SOFT_DELETED'
  ELSE fields.lifecycle_state
END AS target
WITH *, CASE
  WHEN fields.held_until > $now THEN fields.lifecycle_state
  WHEN curve.states = 'by_score' AND target = 'EXPIRED' AND fields.obsolete_at IS NULL
    THEN 'SOFT_DELETED'
  ELSE target
END AS outcome
