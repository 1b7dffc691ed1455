// Find the records of adopted entities by group.
//
// access  schema
CREATE INDEX entity_before_group_idx IF NOT EXISTS
FOR (n:EntityBefore)
ON (n.group_id)
