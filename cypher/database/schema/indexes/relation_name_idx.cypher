// Find relations by type.
//
// access  schema
CREATE INDEX relation_name_idx IF NOT EXISTS
FOR ()-[r:RELATES_TO]-()
ON (r.name)
