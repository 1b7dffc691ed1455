// Delete the writes that wait for a review.
//
// access  batch
// param   batch : INTEGER — nodes in one transaction
MATCH (n:PendingWrite)
CALL (n) {
  DELETE n
} IN TRANSACTIONS OF $batch ROWS
