// Find entities by group.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX entity_group_id IF NOT EXISTS
FOR (n:Entity)
ON (n.group_id)
