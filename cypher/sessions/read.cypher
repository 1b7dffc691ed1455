// Read a session, and look which of the memories it loaded are no longer as they were loaded.
//
// access  read
// param   group_id   : STRING — the tenant
// param   session_id : STRING
// param   now        : STRING — ISO 8601, UTC
// returns total_tokens : INTEGER
// returns ids          : LIST<STRING> — of the memories loaded, in that order
// returns positions    : LIST<INTEGER> — tokens before each was loaded
// returns versions     : LIST<STRING> — which text of each was
// returns history      : LIST<STRING> — JSON, the latest last
// returns revision     : STRING — changes with each write
// returns updated_at   : STRING — ISO 8601, UTC
// returns changed      : LIST<MAP> — memory_id, reason, superseded_by
MATCH (s:Session {session_id: $group_id + '|' + $session_id})
CALL (s) {
  UNWIND range(0, size(s.loaded_ids) - 1) AS i
  OPTIONAL MATCH (old:Memory {uuid: s.loaded_ids[i], group_id: $group_id})
  WHERE old.soft_deleted_at IS NULL
  WITH s.loaded_ids[i] AS memory_id, s.loaded_versions[i] AS version, old,
       old.obsolete_at IS NOT NULL OR old.invalid_at <= $now AS ended,
  // include lifecycle/holder
  AS superseded_by
  WITH memory_id, CASE WHEN ended THEN superseded_by END AS superseded_by, CASE
    WHEN old IS NULL THEN 'forgotten'
    WHEN ended THEN CASE WHEN superseded_by IS NULL THEN 'obsolete' ELSE 'superseded' END
    WHEN old.lifecycle_state = 'EXPIRED' THEN 'forgotten'
    WHEN left(old.content_hash, size(version)) <> version THEN 'updated'
  END AS reason
  WHERE reason IS NOT NULL
  RETURN collect({memory_id: memory_id, reason: reason, superseded_by: superseded_by}) AS changed
}
RETURN s.total_tokens AS total_tokens, s.loaded_ids AS ids, s.loaded_positions AS positions,
       s.loaded_versions AS versions, s.history AS history, s.revision AS revision,
       s.updated_at AS updated_at, changed
