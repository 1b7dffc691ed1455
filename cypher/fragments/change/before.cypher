// Store in `change` the state of memory `m` before the run, once per run and memory.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — run_id
MERGE (change:MaintenanceChange {run_id: $decay.run_id, memory_id: m.uuid})
ON CREATE SET
  change.group_id = m.group_id,
  change.at = $now,
  change.before_lifecycle_state = m.lifecycle_state,
  change.before_state_changed_at = m.state_changed_at,
  change.before_state_reason = m.state_reason,
  change.before_state_history = m.state_history,
  change.before_soft_deleted_at = m.soft_deleted_at,
  change.before_dedup_key = m.dedup_key,
  change.before_obsolete_at = m.obsolete_at,
  change.before_obsolete_reason = m.obsolete_reason,
  change.before_tags = m.tags,
  change.before_preserve_until = m.preserve_until,
  change.before_unprotected_at = m.unprotected_at,
  change.before_is_protected = m.is_protected,
  change.before_confidence = m.confidence,
  change.before_confidence_decayed_at = m.confidence_decayed_at,
  change.before_decay_score = m.decay_score,
  change.before_last_decay_update = m.last_decay_update
