// Replace the mentions of memories, and record the earlier ones for undo.
//
// An entity that no memory mentions any more is deleted. If there are proposals about it, it stays
// with the last memory that mentioned it, so that decisions and undo keep their entity. A memory
// that was read again since stays as it is.
//
// access  write
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   run_id   : STRING? — the run that records; null for none
// param   entities : LIST<MAP> — our entities: entity_id, kind and key, in the order of ids
// param   memories : LIST<MAP> — memory_id, was and becomes (notes of what was read; empty for
//                    nothing), earlier (the mentions before, as JSON) and mentions: maps of
//                    entity_id, ours, text, starts and ends; in the order of ids
// returns stored : INTEGER — memories
CALL () {
  UNWIND $entities AS each
  MERGE (e:NamedEntity {uuid: each.entity_id})
  ON CREATE SET e.group_id = $group_id, e.kind = each.kind, e.key = each.key
}
CALL () {
  UNWIND $memories AS row
  MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
  // include fragments/memory/lock
  WHERE coalesce(m.mentions_hash, '') = row.was
  CALL (m) {
    OPTIONAL MATCH (m)-[old:HAS_MENTION]->(e)
    WITH old, {memory_id: m.uuid, entity_id: e.uuid} AS pair
    DELETE old
    RETURN collect(pair) AS left
  }
  CALL (m, row) {
    UNWIND row.mentions AS mention
    WITH m, mention WHERE mention.ours
    MATCH (e:NamedEntity {uuid: mention.entity_id})
    CREATE (m)-[:HAS_MENTION {text: mention.text, starts: mention.starts, ends: mention.ends}]->(e)
  }
  CALL (m, row) {
    UNWIND row.mentions AS mention
    WITH m, mention WHERE NOT mention.ours
    MATCH (e:Entity {uuid: mention.entity_id})
    WHERE e.group_id = $group_id
    CREATE (m)-[:HAS_MENTION {text: mention.text, starts: mention.starts, ends: mention.ends}]->(e)
  }
  CALL (m) {
    MATCH (m)-[had:HAD_MENTION]->(e)
    WHERE EXISTS { (m)-[:HAS_MENTION]->(e) }
    DELETE had
  }
  SET
    m.mentions_hash = CASE row.becomes WHEN '' THEN null ELSE row.becomes END,
    m.mention_count = CASE row.becomes WHEN '' THEN null ELSE size(row.mentions) END
  RETURN collect(row) AS rows, collect(left) AS lefts
}
// include learning/entities/leave
CALL (rows) {
  WITH rows WHERE size(rows) > 0 AND $run_id IS NOT NULL
  CREATE (:LearningChange {
    run_id: $run_id, group_id: $group_id, stage: 'entities', at: $now,
    memory_ids: [row IN rows | row.memory_id], before: [row IN rows | row.was],
    after: [row IN rows | row.becomes], earlier: [row IN rows | row.earlier]
  })
}
RETURN size(rows) AS stored
