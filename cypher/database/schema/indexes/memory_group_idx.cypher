// Find memories by group.
//
// access  schema
CREATE INDEX memory_group_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id)
