// Store the clusters of memories, and record the earlier ones for undo.
//
// access  write
// param   group_id   : STRING — the tenant
// param   now        : STRING — ISO 8601, UTC
// param   run_id     : STRING
// param   memory_ids : LIST<STRING> — sorted
// param   places     : LIST<STRING> — the cluster, and the label after '|'; empty for none
// param   reason     : STRING — what the clusters were computed from
UNWIND range(0, size($memory_ids) - 1) AS i
MATCH (m:Memory {uuid: $memory_ids[i], group_id: $group_id})
// include fragments/memory/lock
WITH m, $places[i] AS place,
  // include learning/clusters/place
  AS before
// include learning/clusters/put
WITH collect(m.uuid) AS ids, collect(before) AS before, collect(place) AS after
WHERE size(ids) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'clusters', at: $now, reason: $reason,
  memory_ids: ids, before: before, after: after
})
