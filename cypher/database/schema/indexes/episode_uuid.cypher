// Find episodes by id.
//
// Graphiti makes the same, by the same name.
//
// access  schema
CREATE INDEX episode_uuid IF NOT EXISTS
FOR (n:Episodic)
ON (n.uuid)
