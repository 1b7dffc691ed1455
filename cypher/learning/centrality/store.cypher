// Store the centrality of memories, and record the earlier values for undo.
//
// access  write
// param   group_id   : STRING — the tenant
// param   now        : STRING — ISO 8601, UTC
// param   run_id     : STRING
// param   memory_ids : LIST<STRING> — sorted
// param   values     : LIST<FLOAT> [1] — 0 to 1; −1 removes the centrality
// param   reason     : STRING — what the values were computed from
UNWIND range(0, size($memory_ids) - 1) AS i
MATCH (m:Memory {uuid: $memory_ids[i], group_id: $group_id})
// include fragments/memory/lock
WITH m, $values[i] AS value, coalesce(toFloatOrNull(m.centrality), -1.0) AS before
SET m.centrality = CASE WHEN value >= 0 THEN value END
WITH collect(m.uuid) AS ids, collect(before) AS before, collect(value) AS after
WHERE size(ids) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'centrality', at: $now, reason: $reason,
  memory_ids: ids, before: before, after: after
})
