// Hold the lock that whoever writes a HAS_PARENT needs; nothing comes of the index.
//
// access  schema
CREATE INDEX held_parents FOR ()-[r:HAS_PARENT]-() ON (r.held)
