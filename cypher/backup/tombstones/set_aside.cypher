// Set the tombstones and the keys of their hashes aside, so that a restore does not erase them.
//
// access  batch
MATCH (n:Tombstone|Control)
WHERE n:Tombstone OR n.key STARTS WITH 'tombstone_key'
CALL (n) {
  SET n:KeptTombstone
  REMOVE n:Tombstone:Control
} IN TRANSACTIONS OF 2000 ROWS
