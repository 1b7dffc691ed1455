// Store in `change` the state of memory `m` after the run, so that undo can detect later changes.
//
// access  fragment
// param   decay : MAP — run_id
MERGE (change:MaintenanceChange {run_id: $decay.run_id, memory_id: m.uuid})
SET
  change.after_lifecycle_state = m.lifecycle_state,
  change.after_state_changed_at = m.state_changed_at,
  change.after_tags = m.tags,
  change.after_preserve_until = m.preserve_until,
  change.after_confidence = m.confidence,
  change.after_obsolete_at = m.obsolete_at
