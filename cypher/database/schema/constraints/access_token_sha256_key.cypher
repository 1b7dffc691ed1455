// Keep the hash of a token's secret unique.
//
// access  schema
CREATE CONSTRAINT access_token_sha256_key IF NOT EXISTS
FOR (n:AccessToken)
REQUIRE n.sha256 IS UNIQUE
