// Return the fields of token `t` except its hash.
//
// access  fragment
RETURN t.token_id AS token_id, t.name AS name, t.scope AS scope, t.groups AS groups,
       coalesce(t.authority, 'agent') AS authority,
       t.created_at AS created_at, t.expires_at AS expires_at, t.revoked_at AS revoked_at
