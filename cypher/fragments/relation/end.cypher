// End relation `r`: it no longer holds, but is not erased.
//
// Without its key it leaves room for a new one of its type. An end that lies ahead comes now; one
// that has passed was known before, and stays.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
SET r.invalid_at = CASE WHEN r.invalid_at < datetime($now) THEN r.invalid_at ELSE datetime($now) END
SET r.expired_at = r.invalid_at, r.edge_key = null
