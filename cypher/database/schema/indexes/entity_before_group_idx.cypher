// Find by group what entities were before they were adopted.
//
// access  schema
CREATE INDEX entity_before_group_idx IF NOT EXISTS
FOR (n:EntityBefore)
ON (n.group_id)
