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
OPTIONAL MATCH (m:Memory {uuid: $ids[i]})
// A projection reads a chain of properties once.
WITH i, m, m {
  .group_id, .soft_deleted_at, .obsolete_at, .invalid_at, .lifecycle_state, .content_hash
} AS stored
WITH i, m, stored,
     m IS NULL OR stored.group_id <> $group_id OR stored.soft_deleted_at IS NOT NULL AS gone,
     stored.obsolete_at IS NOT NULL OR stored.invalid_at <= $now AS ended
WHERE gone OR ended OR stored.lifecycle_state = 'EXPIRED'
   OR left(stored.content_hash, size($versions[i])) <> $versions[i]
WITH i, m, stored, gone, ended ORDER BY i DESC LIMIT $most
WITH i, stored, gone, ended, CASE WHEN ended AND NOT gone THEN
  // include fragments/memory/superseded_by
END AS superseded_by
RETURN $ids[i] AS memory_id, CASE
  WHEN gone THEN 'forgotten'
  WHEN ended THEN CASE WHEN superseded_by IS NULL THEN 'obsolete' ELSE 'superseded' END
  WHEN stored.lifecycle_state = 'EXPIRED' THEN 'forgotten'
  ELSE 'updated'
END AS reason, superseded_by
ORDER BY i DESC
