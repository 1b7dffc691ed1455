// Find memories by group, importance and age, which is the order of a list.
//
// access  schema
CREATE INDEX memory_group_importance_created_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.importance, n.created_at)
