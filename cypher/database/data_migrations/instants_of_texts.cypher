// Convert the instants of memories from text to Neo4j instants (downgrade).
//
// access  batch
// param   batch : INTEGER — memories in one transaction
MATCH (m:Memory|PurgedMemory)
WHERE m.valid_at IS :: STRING NOT NULL OR m.invalid_at IS :: STRING NOT NULL
CALL (m) {
  SET m.valid_at = datetime(m.valid_at), m.invalid_at = datetime(m.invalid_at)
} IN TRANSACTIONS OF $batch ROWS
