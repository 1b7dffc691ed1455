// Find memories by the instant at which they are due.
//
// access  schema
CREATE INDEX memory_next_due_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.next_due_at)
