// Find entities, memories among them, by id.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX entity_uuid IF NOT EXISTS
FOR (n:Entity)
ON (n.uuid)
