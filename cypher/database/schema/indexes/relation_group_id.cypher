// Find relations by group.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX relation_group_id IF NOT EXISTS
FOR ()-[e:RELATES_TO]-()
ON (e.group_id)
