// Hold the lock that each writer of a memory needs; the index is never committed.
//
// access  schema
CREATE INDEX held_memories FOR (n:Memory) ON (n.held)
