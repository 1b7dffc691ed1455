// Keep a session's id unique.
//
// access  schema
CREATE CONSTRAINT session_id_key IF NOT EXISTS
FOR (n:Session)
REQUIRE n.session_id IS UNIQUE
