// Erase what an earlier move has set aside of a group.
//
// Nothing is erased if the lease was lost.
//
// access  batch
// param   batch    : INTEGER — nodes per transaction
// param   owner    : STRING — the owner of the lease
MATCH (lease:Control {key: 'maintenance', owner: $owner})
WITH lease
MATCH (n:MovedCopy)
WHERE
  // include fragments/move/of_group
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
