// Erase every node that a backup would hold.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n)
WHERE
  // include fragments/backup/kept
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
