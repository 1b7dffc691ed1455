// Find the waiting writes of a group.
//
// access  schema
CREATE INDEX pending_write_group_idx IF NOT EXISTS
FOR (n:PendingWrite)
ON (n.group_id)
