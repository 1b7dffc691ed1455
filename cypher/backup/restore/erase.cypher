// Erase every node that belongs to a backup.
//
// access  batch
// param   batch : INTEGER — nodes per transaction
MATCH (n)
WHERE
  // include fragments/backup/kept
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
