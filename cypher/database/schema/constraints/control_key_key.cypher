// Keep a control record's key unique.
//
// access  schema
CREATE CONSTRAINT control_key_key IF NOT EXISTS
FOR (n:Control)
REQUIRE n.key IS UNIQUE
