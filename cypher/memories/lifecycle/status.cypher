// Return how far a memory has decayed, by which rule, and what the next run will do to it.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   now       : STRING — ISO 8601, UTC
// returns status : MAP
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
CALL (m) {
  // include decay/forecast/path
  RETURN path AS coming
}
// include decay/next_due
// include decay/effective_importance
RETURN {
  memory_id: m.uuid,
  state: m.lifecycle_state,
  decay_score: faded,
  last_decay_update: m.last_decay_update,
  decay_policy: policy,
  terms: {
    amplitude: curve.amplitude, rate_per_day: curve.rate, offset: curve.offset, kept: kept,
    idle_days: idle_days, importance: m.importance, effective_importance: effective,
    stability: m.stability,
    confidence: m.confidence, access_count: m.access_count, memory_type: m.memory_type
  },
  idle_since: CASE
    WHEN unprotected_ms > used_ms THEN
      CASE WHEN m.preserve_until < $now THEN 'preserve_until' ELSE 'unprotected_at' END
    WHEN m.last_accessed_at IS NOT NULL THEN 'last_accessed_at'
    WHEN m.updated_at IS NOT NULL THEN 'updated_at' ELSE 'created_at' END,
  idle_from: CASE
    WHEN unprotected_ms > used_ms
      THEN format(datetime({epochMillis: unprotected_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    ELSE coalesce(m.last_accessed_at, m.updated_at, toString(m.created_at)) END,
  leaves_after_days: CASE WHEN step.days > 0 THEN step.days END,
  leaves_above_score: step.level,
  held_until: CASE WHEN m.held_until > $now THEN m.held_until END,
  protection: protection,
  preserve_until: m.preserve_until,
  soft_deleted_at: m.soft_deleted_at,
  obsolete_at: m.obsolete_at,
  obsolete_reason: m.obsolete_reason,
  superseded_by: CASE WHEN m.obsolete_at IS NULL THEN null ELSE
    // include fragments/memory/superseded_by
  END,
  next_state: CASE
    WHEN due IS NOT NULL AND (coming[0].at <= due_ms OR coming[0].at <= now_ms)
      THEN coming[0].to END,
  next_at: due,
  next_changes: [step IN coming WHERE step.at < 253402300800000 | {
    state: step.to,
    at: format(datetime({epochMillis: step.at}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
  }],
  history: m.state_history,
  brief: m.brief_json,
  centrality: m.centrality,
  computed_importance:
    // include fragments/ranking/computed_importance
} AS status
