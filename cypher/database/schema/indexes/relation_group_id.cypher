// Find relations by group.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX relation_group_id IF NOT EXISTS
FOR ()-[e:RELATES_TO]-()
ON (e.group_id)
