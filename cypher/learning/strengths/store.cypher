// Store the learned strengths of relations, and record what was learned before for undo.
//
// access  write
// param   group_id  : STRING — the tenant
// param   now       : STRING — ISO 8601, UTC
// param   run_id    : STRING
// param   relations : LIST<MAP> — relation_id, from_id, to_id, strength, uses and last_used_at,
//                     where null removes; sorted by relation_id
UNWIND $relations AS row
MATCH (:Memory {uuid: row.from_id, group_id: $group_id})
  -[r:RELATES_TO {uuid: row.relation_id}]->(:Memory {uuid: row.to_id})
SET r.uuid = r.uuid  // takes the lock
WITH row, r,
// include fragments/relation/learned_note
AS before
SET
  r.learned_strength = row.strength, r.use_count = row.uses, r.last_used_at = row.last_used_at
WITH collect(row) AS rows, collect(before) AS before, collect(
// include fragments/relation/learned_note
) AS after
WHERE size(rows) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'strengths', at: $now,
  memory_ids: [row IN rows | row.from_id], to_ids: [row IN rows | row.to_id],
  relation_ids: [row IN rows | row.relation_id], before: before, after: after
})
