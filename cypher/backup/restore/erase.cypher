// Erase every node that belongs to a backup; none if the lease was lost.
//
// access  batch
// param   batch : INTEGER — nodes per transaction
WITH 1 AS begun
WHERE
  // include fragments/lease/held
MATCH (n)
WHERE
  // include fragments/backup/kept
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
