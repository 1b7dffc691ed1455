// Restore the properties of memory `m` that `change` recorded, and erase the change.
//
// A key that the memory has stays: only deletion removes a key, and a new text has another. The
// score stays if a later write has set it. Runs leave the memory alone until `held_until`. The
// instant at which the memory is due is computed again. The history shows the undo in place of what
// the run changed.
//
// access  fragment
// param   held_until : STRING? — ISO 8601, UTC
WITH *,
  // include fragments/change/values
  AS held
WITH *, held {
  .*, lifecycle_state: m.lifecycle_state,
  purged_at: CASE WHEN change.purged THEN change.at END
} AS was
SET
  m.edit_history = [entry IN m.edit_history
    WHERE NOT entry CONTAINS 'run ' + change.run_id + '", "changed"'],
  m.packing_due = CASE WHEN 'ARCHIVED' IN [m.lifecycle_state, change.before_lifecycle_state]
    THEN true ELSE m.packing_due END,
  m.lifecycle_state = change.before_lifecycle_state,
  m.state_changed_at = change.before_state_changed_at,
  m.state_reason = change.before_state_reason,
  m.state_history = change.before_state_history,
  m.soft_deleted_at = change.before_soft_deleted_at,
  m.dedup_key = coalesce(m.dedup_key, change.before_dedup_key),
  m.obsolete_at = change.before_obsolete_at,
  m.obsolete_reason = change.before_obsolete_reason,
  m.tags = change.before_tags,
  m.preserve_until = change.before_preserve_until,
  m.unprotected_at = change.before_unprotected_at,
  m.is_protected = change.before_is_protected,
  m.held_until = $held_until,
  m.confidence = change.before_confidence,
  m.confidence_decayed_at = change.before_confidence_decayed_at
FOREACH (_ IN CASE WHEN m.last_decay_update = change.at THEN [1] ELSE [] END |
  SET
    m.decay_score = change.before_decay_score,
    m.last_decay_update = change.before_last_decay_update
)
FOREACH (_ IN CASE WHEN change.before_importance IS NULL THEN [] ELSE [1] END |
  SET
    m.importance = change.before_importance,
    m.importance_source = change.before_importance_source,
    m.stability = change.before_stability,
    m.stability_source = change.before_stability_source,
    m.classification_attempts = change.before_classification_attempts,
    m.classification_status = 'pending'
)
DELETE change
// include fragments/change/note
WITH m
// include decay/schedule
