// Find entities, memories among them, by id.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX entity_uuid IF NOT EXISTS
FOR (n:Entity)
ON (n.uuid)
