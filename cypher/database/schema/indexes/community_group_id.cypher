// Find communities by group.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX community_group_id IF NOT EXISTS
FOR (n:Community)
ON (n.group_id)
