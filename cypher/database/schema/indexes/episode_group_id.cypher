// Find episodes by group.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX episode_group_id IF NOT EXISTS
FOR (n:Episodic)
ON (n.group_id)
