// Find relations by id.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX relation_uuid IF NOT EXISTS
FOR ()-[e:RELATES_TO]-()
ON (e.uuid)
