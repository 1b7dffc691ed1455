// Mark memory `m` obsolete, superseded by memory `other` unless that is null; bind the outcome.
//
// Binds `refused`, `holder` and `again` as well. The memory was true until its successor became
// true, or until now if that is later. The time of recording is stored as well. An earlier end
// stays. The successor must be true now, and must be the current successor if there is one.
//
// access  fragment
// param   group_id      : STRING — the tenant
// param   memory_id     : STRING
// param   superseded_by : STRING? — id of the successor
// param   now           : STRING — ISO 8601, UTC
MATCH (m:Memory)
WHERE m.uuid IN [$memory_id, $superseded_by] AND m.group_id = $group_id
WITH m ORDER BY m.uuid
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
WITH collect(m) AS there
WITH head([each IN there WHERE each.uuid = $memory_id]) AS m,
     head([each IN there WHERE each.uuid = $superseded_by]) AS other
WHERE m IS NOT NULL AND ($superseded_by IS NULL OR other IS NOT NULL)
WITH m, other, other.lifecycle_state = 'EXPIRED' OR other.invalid_at <= $now AS ended,
  m.obsolete_at IS NOT NULL AND EXISTS {
    MATCH (other)-[r:RELATES_TO {name: 'supersedes'}]->(m) WHERE r.expired_at IS NULL
  } AS again
WITH *, CASE WHEN ended THEN other ELSE m END AS old
CALL (old) {
  WITH old AS m
  RETURN
  // include fragments/memory/superseded_by
  AS holder
}
WITH m, other, holder, again, CASE
  WHEN other IS NULL OR again THEN null
  WHEN ended THEN 'ended'
  WHEN other.valid_at > $now THEN 'ahead'
  WHEN m.obsolete_at IS NOT NULL AND holder <> other.uuid THEN 'settled'
END AS refused
CALL (m, other, refused) {
  WITH m, other WHERE refused IS NULL
  // include memories/lifecycle/expire
}
