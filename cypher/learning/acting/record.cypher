// Record the values of memory `m` before and after an action, for undo.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   decay    : MAP — run_id
// param   kept     : LIST<STRING> — properties that actions change, but the unique dedup_key
CREATE (change:LearningChange {
  run_id: $decay.run_id, group_id: $group_id, stage: 'act', at: $now, memory_ids: [m.uuid],
  before_dedup_key: earlier.dedup_key
})
FOREACH (key IN $kept |
  SET change['before_' + key] = earlier[key]
  SET change['after_' + key] = m[key]
)
