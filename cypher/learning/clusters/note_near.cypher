// Note on memories which memories are nearest, and record the notes before for undo.
//
// access  write
// param   group_id   : STRING — the tenant
// param   now        : STRING — ISO 8601, UTC
// param   run_id     : STRING
// param   memory_ids : LIST<STRING> — sorted
// param   notes      : LIST<STRING> — the nearest memories, as JSON
UNWIND range(0, size($memory_ids) - 1) AS i
MATCH (m:Memory {uuid: $memory_ids[i], group_id: $group_id})
// include fragments/memory/lock
WITH m, $notes[i] AS note, coalesce(toStringOrNull(m.near_json), '') AS before
SET m.near_json = note
WITH collect(m.uuid) AS ids, collect(before) AS before, collect(note) AS after
WHERE size(ids) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'near', at: $now, memory_ids: ids,
  before: before, after: after
})
