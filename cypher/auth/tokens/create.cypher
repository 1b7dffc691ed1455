// Create a token.
//
// access  write
// param   token_id   : STRING
// param   sha256     : STRING — hash of the secret, hexadecimal
// param   name       : STRING
// param   scope      : STRING — read, write or admin
// param   authority  : STRING — person, agent, tool, import or derived
// param   groups     : LIST<STRING>? — null for all
// param   now        : STRING — ISO 8601, UTC
// param   expires_at : STRING? — null for never
// returns token_id   : STRING
// returns name       : STRING
// returns scope      : STRING
// returns groups     : LIST<STRING>? — null for all
// returns authority  : STRING
// returns created_at : STRING — ISO 8601, UTC
// returns expires_at : STRING?
// returns revoked_at : STRING?
CREATE (t:AccessToken {
  token_id: $token_id, sha256: $sha256, name: $name, scope: $scope, groups: $groups,
  authority: $authority, created_at: $now, expires_at: $expires_at
})
// include auth/tokens/view
