// Delete the tombstones and the keys of their hashes.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n:Tombstone|Control)
WHERE n:Tombstone OR n.key STARTS WITH 'tombstone_key'
CALL (n) {
  DELETE n
} IN TRANSACTIONS OF $batch ROWS
