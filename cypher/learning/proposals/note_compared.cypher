// Note on memories which of their texts was compared, and record the notes before for undo.
//
// access  write
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   run_id   : STRING
// param   compared : LIST<MAP> — memory_id and content_hash, in the order of ids
UNWIND $compared AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WITH m, row, coalesce(m.proposed_hash, '') AS before
SET m.proposed_hash = row.content_hash
WITH collect(m.uuid) AS ids, collect(before) AS before, collect(row.content_hash) AS after
WHERE size(ids) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'proposals', at: $now, memory_ids: ids,
  before: before, after: after
})
