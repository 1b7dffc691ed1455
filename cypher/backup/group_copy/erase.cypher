// Erase the nodes of a group, and what an earlier move has set aside of it.
//
// access  batch
// param   batch    : INTEGER — nodes per transaction
MATCH (n)
WHERE
  // include fragments/move/of_group
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
