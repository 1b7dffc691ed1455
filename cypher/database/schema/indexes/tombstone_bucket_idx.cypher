// Find the tombstones of a group that a statement may be a spelling variant of.
//
// access  schema
CREATE INDEX tombstone_bucket_idx IF NOT EXISTS
FOR (n:Tombstone)
ON (n.bucket)
