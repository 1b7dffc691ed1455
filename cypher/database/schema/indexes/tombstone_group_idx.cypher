// Find the tombstones of a group.
//
// access  schema
CREATE INDEX tombstone_group_idx IF NOT EXISTS
FOR (n:Tombstone)
ON (n.group_id)
