// Hold the lock that whoever writes a memory needs; nothing comes of the index.
//
// access  schema
CREATE INDEX held_memories FOR (n:Memory) ON (n.held)
