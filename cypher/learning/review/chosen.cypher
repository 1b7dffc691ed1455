// Choose proposals `p` of a group, with their memories `a` and `b`.
//
// access  fragment
// param   group_id  : STRING — the tenant
// param   status    : STRING — open, accepted or rejected
// param   kinds     : LIST<STRING>? — null for all
// param   min_score : FLOAT [1] — 0 to 1
MATCH (p:Proposal {group_id: $group_id, status: $status})
WHERE ($kinds IS NULL OR p.kind IN $kinds) AND p.score >= $min_score
MATCH (a:Memory {uuid: p.from_id, group_id: $group_id})
MATCH (b:Memory {uuid: p.to_id, group_id: $group_id})
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
  AND (p.status <> 'open' OR a.lifecycle_state <> 'EXPIRED' AND b.lifecycle_state <> 'EXPIRED')
