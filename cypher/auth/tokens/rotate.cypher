// Replace the secret of a token, unless it is revoked.
//
// access  write
// param   token_id : STRING
// param   sha256   : STRING — hash of the new secret, hexadecimal
// returns token_id   : STRING
// returns name       : STRING
// returns scope      : STRING
// returns groups     : LIST<STRING>? — null for all
// returns authority  : STRING
// returns created_at : STRING — ISO 8601, UTC
// returns expires_at : STRING?
// returns revoked_at : STRING?
MATCH (t:AccessToken {token_id: $token_id})
WHERE t.revoked_at IS NULL
SET t.sha256 = $sha256
WITH t
// include auth/tokens/view
