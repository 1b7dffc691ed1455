// Find the records of adopted entities by id.
//
// access  schema
CREATE INDEX entity_before_idx IF NOT EXISTS
FOR (n:EntityBefore)
ON (n.uuid)
