// Keep a memory's id unique.
//
// access  schema
CREATE CONSTRAINT memory_uuid_key IF NOT EXISTS
FOR (n:Memory)
REQUIRE n.uuid IS UNIQUE
