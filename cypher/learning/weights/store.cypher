// Store the learned weights of a group, and record those before for undo.
//
// access  write
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   run_id   : STRING
// param   learned  : STRING? — JSON; null removes
// param   reason   : STRING
MERGE (c:Control {key: 'weights|' + $group_id})
WITH c, coalesce(toStringOrNull(c.learned), '') AS before
SET c.learned = $learned
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'weights', at: $now, memory_ids: [],
  before: [before], after: [coalesce($learned, '')], reason: $reason
})
WITH c WHERE c.learned IS NULL
DELETE c
