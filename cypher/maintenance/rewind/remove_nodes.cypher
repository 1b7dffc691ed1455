// Erase nodes beside memories that were created after an instant, with all that belongs to them.
//
// These are purged memories, proposals, waiting writes, queued episodes, lessons, and the episodes
// and entities of Graphiti.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — nodes in one transaction
CALL () {
  MATCH (n:Proposal|PendingWrite|EpisodeJob)
  WHERE n.created_at > $until
  RETURN n
UNION ALL
  MATCH (n:Lesson)
  WHERE n.at > $until
  RETURN n
UNION ALL
  MATCH (n:PurgedMemory|Episodic|Community|Saga)
  WHERE n.created_at > datetime($until)
  RETURN n
UNION ALL
  MATCH (n:Entity)
  WHERE NOT n:Memory AND n.created_at > datetime($until)
  RETURN n
}
CALL (n) {
  OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS|HAS_PASSAGE|HAS_PROPOSAL]->
    (part:MemoryVersion|WordVectors|Passage|Proposal)
  DETACH DELETE part, n
} IN TRANSACTIONS OF $batch ROWS
