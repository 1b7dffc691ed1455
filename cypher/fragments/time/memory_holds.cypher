// Tell whether memory `m` was true in the world at one instant and known here at another.
//
// Without `as_of` it is asked of the present, or of `known_at`. An end that was recorded later than
// `known_at` was not known then. Without `known_at` what was deleted is left out; with it, what was
// deleted then, as the last change of state until then tells.
//
// access  fragment
// param   now      : STRING — ISO 8601, UTC
// param   as_of    : STRING? — valid time, ISO 8601, UTC
// param   known_at : STRING? — system time, ISO 8601, UTC
    ($as_of IS NULL OR m.valid_at IS NULL OR m.valid_at <= $as_of)
AND (m.invalid_at IS NULL OR m.invalid_at > coalesce($as_of, $known_at, $now)
     OR coalesce(m.ended_at, m.obsolete_at) > $known_at)
AND ($known_at IS NULL OR m.created_at <= datetime($known_at))
AND
// include fragments/time/memory_there
