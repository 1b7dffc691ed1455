// Return which loaded memories have changed since, the last given first.
//
// access  read
// param   group_id : STRING — the tenant
// param   ids      : LIST<STRING> — ids of loaded memories
// param   versions : LIST<STRING> — version of each content
// param   now      : STRING — ISO 8601, UTC
// param   most     : INTEGER — changes to return
// returns memory_id     : STRING
// returns reason        : STRING
// returns superseded_by : STRING? — id of the successor
UNWIND range(0, size($ids) - 1) AS i
WITH i, $ids[i] AS memory_id, $versions[i] AS version
OPTIONAL MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
WITH i, memory_id, m, m.obsolete_at IS NOT NULL OR m.invalid_at <= $now AS ended,
     left(m.content_hash, size(version)) <> version AS rewritten
WHERE m IS NULL OR ended OR rewritten OR m.lifecycle_state = 'EXPIRED'
WITH i, memory_id, m, ended ORDER BY i DESC LIMIT $most
WITH i, memory_id, m, ended, CASE WHEN ended THEN
  // include fragments/memory/superseded_by
END AS superseded_by
RETURN memory_id, CASE
  WHEN m IS NULL THEN 'forgotten'
  WHEN ended THEN CASE WHEN superseded_by IS NULL THEN 'obsolete' ELSE 'superseded' END
  WHEN m.lifecycle_state = 'EXPIRED' THEN 'forgotten'
  ELSE 'updated'
END AS reason, superseded_by
ORDER BY i DESC
