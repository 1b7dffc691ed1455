// Find memories by the instant at which a run has something to do for them.
//
// access  schema
CREATE INDEX memory_next_due_at_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.next_due_at)
