// Find memories by importance.
//
// access  schema
CREATE INDEX memory_importance_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.importance)
