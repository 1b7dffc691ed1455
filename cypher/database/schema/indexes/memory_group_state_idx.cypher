// Find memories by group and lifecycle state.
//
// access  schema
CREATE INDEX memory_group_state_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.lifecycle_state)
