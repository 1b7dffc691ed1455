// Find relations by id.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX relation_uuid IF NOT EXISTS
FOR ()-[e:RELATES_TO]-()
ON (e.uuid)
