// Choose proposals `p` of a group, with their memories or entities `a` and `b`.
//
// access  fragment
// param   group_id  : STRING — the tenant
// param   status    : STRING — open, accepted or rejected
// param   kinds     : LIST<STRING>? — null for all
// param   min_score : FLOAT [1] — 0 to 1
MATCH (p:Proposal {group_id: $group_id, status: $status})
WHERE ($kinds IS NULL OR p.kind IN $kinds) AND p.score >= $min_score
// include learning/review/ends
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
  AND (p.status <> 'open' OR coalesce(a.lifecycle_state, '') <> 'EXPIRED'
    AND coalesce(b.lifecycle_state, '') <> 'EXPIRED')
  AND all(e IN CASE p.kind WHEN 'same_as' THEN [a, b] ELSE [] END WHERE
    // include learning/mentioned/live
  )
