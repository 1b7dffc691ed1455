// Keep the id of an entity that memories mention unique.
//
// access  schema
CREATE CONSTRAINT named_entity_uuid_key IF NOT EXISTS
FOR (n:NamedEntity)
REQUIRE n.uuid IS UNIQUE
