// Restore the lifecycle that memories had when they were exported.
//
// Only memories unchanged since their creation are restored, so a repeated import changes nothing.
// A memory that another store had marked obsolete has a reason, and is obsolete here from now on.
// A missing state or score is computed by the policy.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id and the properties below; sorted by id
// param   now      : STRING — default of missing instants, ISO 8601, UTC
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.access_count = 0 AND m.state_reason = 'created' AND datetime(m.updated_at) = m.created_at
SET
  m.conversation_id = row.conversation_id,
  m.lifecycle_state = coalesce(row.lifecycle_state, 'ACTIVE'),
  m.packing_due = CASE row.lifecycle_state WHEN 'ARCHIVED' THEN true END,
  m.state_changed_at = coalesce(row.state_changed_at, m.state_changed_at),
  m.state_reason = coalesce(row.state_reason, m.state_reason),
  m.state_history = row.state_history,
  m.edit_history = row.edit_history,
  m.decay_score = coalesce(row.decay_score, m.decay_score),
  m.last_decay_update = coalesce(row.last_decay_update, $now),
  m.preserve_until = row.preserve_until,
  m.unprotected_at = row.unprotected_at,
  m.access_count = row.access_count,
  m.last_accessed_at = row.last_accessed_at,
  m.importance_source = coalesce(row.importance_source, m.importance_source),
  m.stability_source = coalesce(row.stability_source, m.stability_source),
  m.classification_status = coalesce(row.classification_status, m.classification_status),
  m.classification_attempts = row.classification_attempts,
  m.confidence_decayed_at = row.confidence_decayed_at,
  m.reinforcement_pending = row.reinforcement_pending,
  m.updated_at = coalesce(row.updated_at, m.updated_at),
  m.invalid_at = row.invalid_at,
  m.ended_at = row.ended_at,
  m.obsolete_at = CASE WHEN row.obsolete_reason IS NULL THEN row.obsolete_at
    ELSE coalesce(row.obsolete_at, $now) END,
  m.obsolete_reason = row.obsolete_reason
WITH m, row
CALL (m, row) {
  WITH m WHERE row.lifecycle_state IS NULL
  // include decay/first_state
  WITH *, 'imported' AS reason
  // include decay/enter_state
}
CALL (m, row) {
  WITH m WHERE row.decay_score IS NULL
  // include decay/score
  SET m.decay_score = faded, m.last_decay_update = $now
}
// include decay/schedule
