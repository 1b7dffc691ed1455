// Find the token of a secret, valid or not.
//
// access  read
// param   sha256 : STRING — hash of the secret, hexadecimal
// returns token_id   : STRING
// returns name       : STRING
// returns scope      : STRING
// returns groups     : LIST<STRING>? — null for all
// returns authority  : STRING
// returns created_at : STRING — ISO 8601, UTC
// returns expires_at : STRING?
// returns revoked_at : STRING?
MATCH (t:AccessToken {sha256: $sha256})
// include auth/tokens/view
