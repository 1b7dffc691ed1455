// Find memories by classification status.
//
// access  schema
CREATE INDEX memory_classification_status_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.classification_status)
