// Keep the relation of one type from one memory to another unique.
//
// access  schema
CREATE CONSTRAINT relation_edge_key IF NOT EXISTS
FOR ()-[r:RELATES_TO]-()
REQUIRE r.edge_key IS UNIQUE
