// Find what entities were before they were adopted.
//
// access  schema
CREATE INDEX entity_before_idx IF NOT EXISTS
FOR (n:EntityBefore)
ON (n.uuid)
