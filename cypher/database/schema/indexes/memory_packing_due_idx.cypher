// Find the memories whose content is to be compressed, or restored.
//
// access  schema
CREATE INDEX memory_packing_due_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.packing_due)
