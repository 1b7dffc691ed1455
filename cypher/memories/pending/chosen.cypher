// Choose writes `p` of a group that wait for a review.
//
// access  fragment
// param   group_id    : STRING — the tenant
// param   kinds       : LIST<STRING>? — add, update or episode; null for all
// param   authorities : LIST<STRING>? — authorities of the texts; null for all
// param   ways        : LIST<STRING>? — tools or commands by which they came; null for all
MATCH (p:PendingWrite {group_id: $group_id})
WHERE ($kinds IS NULL OR p.kind IN $kinds)
  AND ($authorities IS NULL OR p.origin_authority IN $authorities)
  AND ($ways IS NULL OR p.origin_way_in IN $ways)
