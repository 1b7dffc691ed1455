// Hold the lock that whoever writes an entity of Graphiti needs; nothing comes of the index.
//
// access  schema
CREATE INDEX held_entities FOR (n:Entity) ON (n.held)
