// End relations of a source, and record the values before, for undo.
//
// access  write
// param   group_id     : STRING — the tenant
// param   relation_ids : LIST<STRING>
// param   run_id       : STRING
// param   now          : STRING — ISO 8601, UTC
// returns relation_id : STRING
UNWIND $relation_ids AS relation_id
MATCH (a:Memory {group_id: $group_id})-[r:RELATES_TO {uuid: relation_id}]->(b:Memory)
WHERE r.expired_at IS NULL
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'ended', at: $now, memory_ids: [a.uuid, b.uuid],
  relation_ids: [r.uuid], edge_key: r.edge_key, invalid_at: r.invalid_at
})
// include fragments/relation/end
RETURN r.uuid AS relation_id
