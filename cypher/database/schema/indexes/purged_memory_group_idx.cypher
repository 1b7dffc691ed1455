// Find the purged memories of a group.
//
// access  schema
CREATE INDEX purged_memory_group_idx IF NOT EXISTS
FOR (n:PurgedMemory)
ON (n.group_id)
