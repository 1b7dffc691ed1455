// Make memory `m` valid again after it was obsolete or had ended, and end `supersedes` to it.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
CALL (m) {
  WITH m WHERE m.obsolete_at IS NOT NULL OR m.invalid_at <= $now
  SET m.obsolete_at = null, m.obsolete_reason = null, m.invalid_at = null, m.ended_at = null
  WITH m
  MATCH (:Memory {group_id: $group_id})-[r:RELATES_TO {name: 'supersedes'}]->(m)
  WHERE r.expired_at IS NULL
  // include fragments/relation/end
}
