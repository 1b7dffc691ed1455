// Hold the lock that each writer of a HAS_PARENT needs; the index is never committed.
//
// access  schema
CREATE INDEX held_parents FOR ()-[r:HAS_PARENT]-() ON (r.held)
