// Restore the entities of a group as they were before adoption.
//
// access  batch
// param   group_id : STRING — the tenant
// param   owned    : LIST<STRING> — names of our properties
// param   batch    : INTEGER — entities per transaction
// returns released : INTEGER
MATCH (n:Memory {group_id: $group_id})
WHERE n.adopted_at IS NOT NULL
CALL (n) {
  CALL (n) {
    WITH n AS m
    // include fragments/memory/forget_mentions
  }
  CALL (n) {
    MATCH (n)-[mention:HAS_MENTION]->()
    DELETE mention
  }
  CALL (n) {
    MATCH (n)-[one:SAME_AS]-()
    DELETE one
  }
  OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
    (part:MemoryVersion|WordVectors|Passage|Proposal)
  DETACH DELETE part
  WITH DISTINCT n
  FOREACH (key IN $owned | SET n[key] = null)
  REMOVE n:Memory
  WITH n
  OPTIONAL MATCH (was:EntityBefore {uuid: n.uuid})
  FOREACH (known IN CASE WHEN was IS NULL THEN [] ELSE [was] END |
    FOREACH (key IN $owned | SET n[key] = known['was_' + key])
    FOREACH (_ IN CASE WHEN known.had_vector THEN [1] ELSE [] END |
      SET n.name_embedding = known.was_name_embedding)
    FOREACH (_ IN CASE WHEN known.was_memory THEN [1] ELSE [] END | SET n:Memory)
  )
  DELETE was
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS released
