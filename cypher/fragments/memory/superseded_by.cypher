// Return the id of the current successor of memory `m`, following `supersedes`.
//
// An expression; null without a successor. The nearest successor wins, then the latest.
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
