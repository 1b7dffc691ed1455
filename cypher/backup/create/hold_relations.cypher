// Hold the lock that each writer of a RELATES_TO needs; the index is never committed.
//
// access  schema
CREATE INDEX held_relations FOR ()-[r:RELATES_TO]-() ON (r.held)
