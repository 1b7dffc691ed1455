// Check that relation `r` was true in the world at `as_of` and known at `known_at`.
//
// `expired_at` is when its end was recorded; before that instant the end was not known. Without
// `as_of` the check is for now, or for `known_at`.
//
// access  fragment
// param   now      : STRING — ISO 8601, UTC
// param   as_of    : STRING? — valid time, ISO 8601, UTC
// param   known_at : STRING? — system time, ISO 8601, UTC
    ($as_of IS NULL OR r.valid_at IS NULL OR r.valid_at <= datetime($as_of))
AND ($known_at IS NULL OR r.created_at <= datetime($known_at))
AND (r.expired_at > datetime($known_at)
     OR r.invalid_at > datetime(coalesce($as_of, $known_at, $now))
     OR (r.invalid_at IS NULL AND r.expired_at IS NULL))
