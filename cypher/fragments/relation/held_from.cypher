// List the relations from memory `m` that hold now: id of the end, type and strength.
//
// An expression.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
COLLECT {
  MATCH (m)-[r:RELATES_TO]->(other:Memory)
  WHERE coalesce(other.group_id = $group_id, false)
    AND (r.invalid_at > datetime($now) OR r.invalid_at IS NULL AND r.expired_at IS NULL)
  RETURN [other.uuid, r.name,
    // include fragments/relation/strength
  ]
}
