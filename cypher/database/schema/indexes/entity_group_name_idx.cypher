// Find entities by name within a group.
//
// access  schema
CREATE INDEX entity_group_name_idx IF NOT EXISTS
FOR (n:Entity)
ON (n.group_id, n.name)
