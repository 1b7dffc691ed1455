// Lower the confidence of memories by one step, or mark them obsolete, as the scan decides.
//
// A scan is not a user's change, so `updated_at` stays.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — sorted
// param   now        : STRING — ISO 8601, UTC
// param   decay      : MAP — decay settings
// returns memory_id : STRING
// returns kind      : STRING — decay or obsolete
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE NOT m.lifecycle_state IN ['EXPIRED', 'SOFT_DELETED']
CALL (m) {
  // include fragments/maintenance/confidence_step
  WITH m, kind, lowered WHERE kind <> 'skip'
  RETURN kind, lowered
}
FOREACH (_ IN CASE WHEN $decay.run_id IS NULL THEN [] ELSE [1] END |
  // include fragments/change/before
)
WITH m, kind, lowered,
  // include fragments/change/values
  AS was
CALL (m, kind) {
  // include decay/next_state
  WITH *, 'confidence' AS reason,
    CASE kind WHEN 'obsolete' THEN 'EXPIRED' ELSE m.lifecycle_state END AS entered
  // include decay/enter_state
}
SET
  m.confidence = CASE kind WHEN 'decay' THEN lowered ELSE m.confidence END,
  m.confidence_decayed_at = CASE kind WHEN 'decay' THEN $now ELSE m.confidence_decayed_at END,
  m.obsolete_at = CASE kind WHEN 'obsolete' THEN $now ELSE m.obsolete_at END,
  m.obsolete_reason = CASE kind WHEN 'obsolete' THEN 'unused, and of the least confidence'
    ELSE m.obsolete_reason END
// include fragments/change/note
WITH m, kind
// include decay/store_score
CALL (m) {
  WITH m WHERE $decay.run_id IS NOT NULL
  // include fragments/change/after
}
RETURN m.uuid AS memory_id, kind
