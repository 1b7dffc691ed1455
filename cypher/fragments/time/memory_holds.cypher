// Check that memory `m` was true in the world at `as_of` and known at `known_at`.
//
// Without `as_of` the check is for now, or for `known_at`. An end recorded after `known_at` was not
// known then. Without `known_at`, deleted memories fail; with it, those that were deleted at that
// instant, by their last change of state until then.
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
