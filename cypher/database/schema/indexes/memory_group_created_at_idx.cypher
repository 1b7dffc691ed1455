// Find memories by group and age.
//
// access  schema
CREATE INDEX memory_group_created_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.created_at)
