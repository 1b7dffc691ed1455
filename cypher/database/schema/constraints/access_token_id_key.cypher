// Keep a token's id unique.
//
// access  schema
CREATE CONSTRAINT access_token_id_key IF NOT EXISTS
FOR (n:AccessToken)
REQUIRE n.token_id IS UNIQUE
