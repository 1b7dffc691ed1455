// Return a session; of one that the caller knows already, only that it is the same.
//
// access  read
// param   group_id   : STRING — the tenant
// param   session_id : STRING
// param   known      : STRING — revision that the caller has; empty for none
// returns revision   : STRING — changes with each write
// returns updated_at : STRING — ISO 8601, UTC
// returns stored     : MAP? — null if the session has the revision `known`
MATCH (s:Session {session_id: $group_id + '|' + $session_id})
RETURN s.revision AS revision, s.updated_at AS updated_at,
  CASE WHEN s.revision = $known THEN null ELSE
    // include fragments/session/stored
  END AS stored
