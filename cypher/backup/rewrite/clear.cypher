// Delete every node of a new database: the records of its migrations.
//
// access  batch
// param   batch : INTEGER — nodes per transaction
MATCH (n)
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
