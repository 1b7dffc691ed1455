// Store the briefs of memories, and record the earlier ones for undo.
//
// A memory whose text changed since the brief was computed is left out.
//
// access  write
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   run_id   : STRING
// param   briefs   : LIST<MAP> — memory_id, content_hash of the text, and brief as JSON, empty to
//                    remove; sorted by memory_id
UNWIND $briefs AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.content_hash = row.content_hash
WITH m, row.brief AS brief, coalesce(toStringOrNull(m.brief_json), '') AS before
SET m.brief_json = CASE WHEN brief <> '' THEN brief END
WITH collect(m.uuid) AS ids, collect(before) AS before, collect(brief) AS after
WHERE size(ids) > 0
CREATE (:LearningChange {
  run_id: $run_id, group_id: $group_id, stage: 'briefs', at: $now,
  memory_ids: ids, before: before, after: after
})
