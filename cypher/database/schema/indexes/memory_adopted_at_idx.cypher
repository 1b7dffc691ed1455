// Find the memories that were entities of Graphiti.
//
// access  schema
CREATE INDEX memory_adopted_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.adopted_at)
