// Convert the instants of memories to text, because prompts of Graphiti cannot hold instants.
//
// access  batch
// param   batch : INTEGER — memories in one transaction
MATCH (m:Memory|PurgedMemory)
WHERE m.valid_at IS :: ZONED DATETIME NOT NULL OR m.invalid_at IS :: ZONED DATETIME NOT NULL
CALL (m) {
  // include fragments/memory/texts_of_instants
} IN TRANSACTIONS OF $batch ROWS
