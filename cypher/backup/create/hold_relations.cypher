// Hold the lock that whoever writes a RELATES_TO needs; nothing comes of the index.
//
// access  schema
CREATE INDEX held_relations FOR ()-[r:RELATES_TO]-() ON (r.held)
