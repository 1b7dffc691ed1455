// Find memories by last access.
//
// access  schema
CREATE INDEX memory_last_accessed_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.last_accessed_at)
