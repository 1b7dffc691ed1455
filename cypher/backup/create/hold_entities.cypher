// Hold the lock that each writer of an entity of Graphiti needs; the index is never committed.
//
// access  schema
CREATE INDEX held_entities FOR (n:Entity) ON (n.held)
