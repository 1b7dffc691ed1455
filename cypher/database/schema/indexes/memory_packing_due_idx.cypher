// Find memories with a content due for compression or decompression.
//
// access  schema
CREATE INDEX memory_packing_due_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.packing_due)
