// Keep one tombstone for each statement of a group.
//
// access  schema
CREATE CONSTRAINT tombstone_key_key IF NOT EXISTS
FOR (n:Tombstone)
REQUIRE n.key IS UNIQUE
