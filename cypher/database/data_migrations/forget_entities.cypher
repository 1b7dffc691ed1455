// Delete all mentions and the entities found by rule, and what was noted and recorded about them.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n:Memory|PurgedMemory|NamedEntity|LearningChange|Proposal)
WHERE n:NamedEntity OR n.mentions_hash IS NOT NULL OR n.stage = 'entities' OR n.kind = 'same_as'
CALL (n) {
  SET n.mentions_hash = null, n.mention_count = null
  WITH n
  OPTIONAL MATCH (n)-[mention:HAS_MENTION]->()
  DELETE mention
  WITH DISTINCT n WHERE n:NamedEntity OR n:LearningChange OR n:Proposal
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
