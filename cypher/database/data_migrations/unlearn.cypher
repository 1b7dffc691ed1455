// Delete all proposals, the records of learning, and what was learned about memories.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n:Memory|PurgedMemory|Proposal|LearningChange)
WHERE n:Proposal OR n:LearningChange OR n.proposed_hash IS NOT NULL OR n.centrality IS NOT NULL
CALL (n) {
  SET n.proposed_hash = null, n.centrality = null
  WITH n WHERE n:Proposal OR n:LearningChange
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
