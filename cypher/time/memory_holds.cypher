// Tell whether memory `m` was true in the world at one instant and known here at another.
//
// Without `as_of` what has ended by now is left out; without `known_at` what was deleted is.
//
// access  fragment
// param   now      : STRING — ISO 8601, UTC
// param   as_of    : STRING? — valid time, ISO 8601, UTC
// param   known_at : STRING? — system time, ISO 8601, UTC
    ($as_of IS NULL OR m.valid_at IS NULL OR m.valid_at <= datetime($as_of))
AND (m.invalid_at IS NULL OR m.invalid_at > datetime(coalesce($as_of, $now)))
AND ($known_at IS NULL OR m.created_at <= datetime($known_at))
AND (m.soft_deleted_at IS NULL OR m.soft_deleted_at > $known_at)
