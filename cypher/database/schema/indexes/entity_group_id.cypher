// Find entities by group.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX entity_group_id IF NOT EXISTS
FOR (n:Entity)
ON (n.group_id)
