// Find memories by group and importance.
//
// access  schema
CREATE INDEX memory_group_importance_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.group_id, n.importance)
