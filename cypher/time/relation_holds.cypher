// Tell whether relation `r` was true in the world at one instant and known here at another.
//
// Without `as_of` what has ended by now is left out; without `known_at` what was withdrawn is.
//
// access  fragment
// param   now      : STRING — ISO 8601, UTC
// param   as_of    : STRING? — valid time, ISO 8601, UTC
// param   known_at : STRING? — system time, ISO 8601, UTC
    ($as_of IS NULL OR r.valid_at IS NULL OR r.valid_at <= datetime($as_of))
AND (r.invalid_at IS NULL OR r.invalid_at > datetime(coalesce($as_of, $now)))
AND ($known_at IS NULL OR r.created_at <= datetime($known_at))
AND (r.expired_at IS NULL OR r.expired_at > datetime($known_at))
