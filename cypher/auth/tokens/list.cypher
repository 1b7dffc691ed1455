// List all tokens, the latest first.
//
// access  read
// returns token_id   : STRING
// returns name       : STRING
// returns scope      : STRING
// returns groups     : LIST<STRING>? — null for all
// returns authority  : STRING
// returns created_at : STRING — ISO 8601, UTC
// returns expires_at : STRING?
// returns revoked_at : STRING?
MATCH (t:AccessToken)
WITH t ORDER BY t.created_at DESC, t.token_id
// include auth/tokens/view
