// Keep one waiting write for each content of a group, or of a memory.
//
// access  schema
CREATE CONSTRAINT pending_write_key_key IF NOT EXISTS
FOR (n:PendingWrite)
REQUIRE n.pending_key IS UNIQUE
