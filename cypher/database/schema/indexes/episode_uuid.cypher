// Find episodes by id.
//
// Graphiti creates the same index under the same name.
//
// access  schema
CREATE INDEX episode_uuid IF NOT EXISTS
FOR (n:Episodic)
ON (n.uuid)
