// Find the entities that memories of a group mention.
//
// access  schema
CREATE INDEX named_entity_group_idx IF NOT EXISTS
FOR (n:NamedEntity)
ON (n.group_id)
