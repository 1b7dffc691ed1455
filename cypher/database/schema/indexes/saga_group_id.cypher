// Find sagas by group.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX saga_group_id IF NOT EXISTS
FOR (n:Saga)
ON (n.group_id)
