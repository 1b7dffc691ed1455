// Find memories by last decay update.
//
// access  schema
CREATE INDEX memory_last_decay_update_idx IF NOT EXISTS
FOR (n:Memory)
ON (n.last_decay_update)
