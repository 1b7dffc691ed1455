// Return a session, and the loaded memories that have changed since, the latest loaded first.
//
// If there are more than `most`, the latest loaded are returned: the model still holds these.
//
// access  read
// param   group_id   : STRING — the tenant
// param   session_id : STRING
// param   now        : STRING — ISO 8601, UTC
// param   most       : INTEGER — changes to return
// returns total_tokens : INTEGER
// returns ids          : LIST<STRING> — ids of the loaded memories, the latest last
// returns positions    : LIST<INTEGER> — tokens of the conversation before each load
// returns versions     : LIST<STRING> — version of each content
// returns history      : LIST<STRING> — JSON, the latest last
// returns revision     : STRING — changes with each write
// returns updated_at   : STRING — ISO 8601, UTC
// returns changed      : LIST<MAP> — memory_id, reason, superseded_by
MATCH (s:Session {session_id: $group_id + '|' + $session_id})
WITH s, s.loaded_ids AS ids, s.loaded_versions AS versions
CALL (ids, versions) {
  UNWIND range(0, size(ids) - 1) AS i
  WITH i, ids[i] AS memory_id, versions[i] AS version
  OPTIONAL MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
  WHERE m.soft_deleted_at IS NULL
  WITH i, memory_id, m, m.obsolete_at IS NOT NULL OR m.invalid_at <= $now AS ended,
       left(m.content_hash, size(version)) <> version AS rewritten
  WHERE m IS NULL OR ended OR rewritten OR m.lifecycle_state = 'EXPIRED'
  WITH i, memory_id, m, ended ORDER BY i DESC LIMIT $most
  WITH memory_id, m, ended, CASE WHEN ended THEN
    // include fragments/memory/superseded_by
  END AS superseded_by
  RETURN collect({memory_id: memory_id, superseded_by: superseded_by, reason: CASE
    WHEN m IS NULL THEN 'forgotten'
    WHEN ended THEN CASE WHEN superseded_by IS NULL THEN 'obsolete' ELSE 'superseded' END
    WHEN m.lifecycle_state = 'EXPIRED' THEN 'forgotten'
    ELSE 'updated'
  END}) AS changed
}
RETURN s.total_tokens AS total_tokens, ids, s.loaded_positions AS positions, versions,
       s.history AS history, s.revision AS revision, s.updated_at AS updated_at, changed
