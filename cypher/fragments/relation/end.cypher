// End relation `r`: it no longer holds, but is not erased.
//
// It loses its key, so that a new relation of its type can be created. A future end is replaced by
// now. A past end was known before, and stays.
//
// access  fragment
// param   now : STRING — ISO 8601, UTC
SET r.invalid_at = CASE WHEN r.invalid_at < datetime($now) THEN r.invalid_at ELSE datetime($now) END
SET r.expired_at = r.invalid_at, r.edge_key = null
