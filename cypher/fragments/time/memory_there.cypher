// Check that memory `m` was not deleted, now or at `known_at`.
//
// The last change of state until `known_at` decides, even if the memory was recovered later.
//
// access  fragment
// param   known_at : STRING? — system time, ISO 8601, UTC
    (m.soft_deleted_at IS NULL OR m.soft_deleted_at > $known_at)
AND ($known_at IS NULL OR NOT coalesce(
      [change IN m.state_history WHERE substring(toStringOrNull(change), 8, 24) <= $known_at][-1]
      CONTAINS '"to": "SOFT_DELETED"', false))
