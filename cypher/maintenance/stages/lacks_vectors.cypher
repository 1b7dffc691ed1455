// Check whether any memory has no vector; an index makes both counts cheap.
//
// access  read
// returns lacking : BOOLEAN
MATCH (m:Memory)
WITH count(m) AS memories
CALL (memories) {
  MATCH (m:Memory)
  WHERE m.embedding_model IS NOT NULL
  WITH memories, count(m) AS embedded
  RETURN memories > embedded AS lacking
}
RETURN lacking
