// Restore memories to their state before a run, unless they were changed after it.
//
// Each memory is locked before it is read, as in stages/treat.
//
// access  write
// param   run_id     : STRING
// param   memory_ids : LIST<STRING> — sorted
// returns memory_id : STRING
// returns refused   : STRING? — the reason why it stays as it is; null if restored
UNWIND $memory_ids AS memory_id
MATCH (change:MaintenanceChange {run_id: $run_id, memory_id: memory_id})
OPTIONAL MATCH (m:Memory {uuid: memory_id})
// include fragments/memory/lock
OPTIONAL MATCH (twin:Memory {dedup_key: change.before_dedup_key})
WITH change, m, memory_id, CASE
  WHEN m IS NULL OR change.erased THEN 'it was erased since'
  WHEN EXISTS { MATCH (:PurgedMemory {uuid: memory_id, purged_by: $run_id}) }
    THEN 'another memory has its id now'
  WHEN m.lifecycle_state <> change.after_lifecycle_state
    THEN 'it is ' + m.lifecycle_state + ' since, not ' + change.after_lifecycle_state
  WHEN m.state_changed_at <> change.after_state_changed_at THEN 'its state changed since'
  WHEN coalesce(m.tags, []) <> coalesce(change.after_tags, []) THEN 'its tags changed since'
  WHEN coalesce(m.preserve_until, '') <> coalesce(change.after_preserve_until, '')
    THEN 'its preservation changed since'
  WHEN coalesce(m.confidence, -1) <> coalesce(change.after_confidence, -1)
    THEN 'its confidence changed since'
  WHEN coalesce(m.obsolete_at, '')
    <> coalesce(change.after_obsolete_at, change.before_obsolete_at, '')
    THEN 'it was marked obsolete since'
  WHEN change.before_importance IS NOT NULL AND [
      m.importance, m.importance_source, m.stability, m.stability_source
    ] <> [
      change.after_importance, change.after_importance_source, change.after_stability,
      change.after_stability_source
    ] THEN 'its importance or stability changed since'
  WHEN m.dedup_key IS NULL AND twin <> m THEN 'its content is stored again, as ' + twin.uuid
END AS refused
CALL (change, m, refused) {
  WITH change, m WHERE refused IS NULL
  // include maintenance/undo/put_back
}
RETURN memory_id, refused
