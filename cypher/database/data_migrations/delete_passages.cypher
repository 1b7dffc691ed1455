// Delete all passages, the numbers of passages, and the record that they are complete.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n:Memory|PurgedMemory|Passage|Control)
WHERE n:Passage OR n.passage_count IS NOT NULL OR n.passages
CALL (n) {
  SET n.passage_count = null, n.passages = null
  WITH n WHERE n:Passage
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
