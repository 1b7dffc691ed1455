// Erase memories permanently, with their relations, versions, mentions and records for undo.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids
WITH m, m.uuid AS memory_id ORDER BY memory_id
// include fragments/memory/lock
WHERE m:Memory
// include memories/tombstones/leave
OPTIONAL MATCH (was:EntityBefore {uuid: memory_id})
// include fragments/memory/forget_mentions
OPTIONAL MATCH (m)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
  (part:MemoryVersion|WordVectors|Passage|Proposal)
DETACH DELETE was, part, m
WITH DISTINCT memory_id
CALL (memory_id) {
  MATCH (run:MaintenanceRun)
  MATCH (change:MaintenanceChange {run_id: run.run_id, memory_id: memory_id})
  // include fragments/change/erase
}
CALL (memory_id) {
  MATCH (change:LearningChange {group_id: $group_id})
  WHERE change.stage IN ['proposals', 'entities', 'near', 'clusters', 'briefs']
    AND memory_id IN change.memory_ids
  SET
    change.before = [i IN range(0, size(change.memory_ids) - 1) |
      CASE change.memory_ids[i] WHEN memory_id THEN '' ELSE change.before[i] END],
    change.after = [i IN range(0, size(change.memory_ids) - 1) |
      CASE change.memory_ids[i] WHEN memory_id THEN '' ELSE change.after[i] END],
    change.earlier = CASE WHEN change.earlier IS NOT NULL THEN
      [i IN range(0, size(change.memory_ids) - 1) |
        CASE change.memory_ids[i] WHEN memory_id THEN '' ELSE change.earlier[i] END] END
}
// include fragments/change/forget_act
RETURN memory_id
