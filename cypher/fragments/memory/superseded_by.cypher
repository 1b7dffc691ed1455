// Name the memory that holds instead of memory `m`, over all that superseded each other since.
//
// An expression; null if none does. Of several the nearest, and of these the latest.
//
// access  fragment
// param   group_id : STRING — the tenant
head(COLLECT {
  MATCH path = (m) (()<-[r:RELATES_TO WHERE r.name = 'supersedes' AND r.expired_at IS NULL]-
    (:Memory WHERE r.group_id = $group_id)){1,16} (winner)
  WITH winner, min(length(path)) AS hops
  WHERE NOT winner.lifecycle_state IN ['EXPIRED', 'SOFT_DELETED']
  RETURN winner.uuid ORDER BY hops, winner.created_at DESC, winner.uuid
})
