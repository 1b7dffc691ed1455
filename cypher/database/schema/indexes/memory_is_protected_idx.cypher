// Find memories that do not fade.
//
// access  schema
CREATE INDEX memory_is_protected_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.is_protected)
