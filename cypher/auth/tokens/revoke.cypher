// Revoke a token; an earlier revocation keeps its instant.
//
// access  write
// param   token_id : STRING
// param   now      : STRING — ISO 8601, UTC
// returns token_id   : STRING
// returns name       : STRING
// returns scope      : STRING
// returns groups     : LIST<STRING>? — null for all
// returns authority  : STRING
// returns created_at : STRING — ISO 8601, UTC
// returns expires_at : STRING?
// returns revoked_at : STRING?
MATCH (t:AccessToken {token_id: $token_id})
SET t.revoked_at = coalesce(t.revoked_at, $now)
WITH t
// include auth/tokens/view
