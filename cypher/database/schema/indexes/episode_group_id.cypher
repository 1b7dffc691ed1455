// Find episodes by group.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX episode_group_id IF NOT EXISTS
FOR (n:Episodic)
ON (n.group_id)
