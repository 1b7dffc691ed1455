// Keep the content of a group's memories unique.
//
// access  schema
CREATE CONSTRAINT memory_dedup_key IF NOT EXISTS
FOR (n:Memory)
REQUIRE n.dedup_key IS UNIQUE
