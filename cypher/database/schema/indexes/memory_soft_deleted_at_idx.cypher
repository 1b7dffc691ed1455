// Find memories by the instant of their soft deletion.
//
// access  schema
CREATE INDEX memory_soft_deleted_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.soft_deleted_at)
