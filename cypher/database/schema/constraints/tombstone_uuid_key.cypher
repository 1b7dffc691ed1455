// Keep the id of a tombstone unique.
//
// access  schema
CREATE CONSTRAINT tombstone_uuid_key IF NOT EXISTS
FOR (n:Tombstone)
REQUIRE n.uuid IS UNIQUE
