// Set the nodes of a moved group aside: without labels no index and no other statement has them.
//
// They stay as they are if the lease was lost.
//
// access  batch
// param   batch    : INTEGER — nodes per transaction
// param   owner    : STRING — the owner of the lease
MATCH (lease:Control {key: 'maintenance', owner: $owner})
WITH lease
MATCH (n)
WHERE NOT n:MovedCopy AND
  // include fragments/move/of_group
CALL (n) {
  WITH n, labels(n) AS had
  SET n.moved_labels = had
  REMOVE n:$(had)
  SET n:MovedCopy
} IN TRANSACTIONS OF $batch ROWS
