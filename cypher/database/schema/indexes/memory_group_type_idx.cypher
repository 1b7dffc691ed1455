// Find memories by group and type.
//
// access  schema
CREATE INDEX memory_group_type_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.memory_type)
