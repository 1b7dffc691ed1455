// Write a session if it still has the revision that was read; otherwise return the stored session.
//
// A property is set before the revision is read. This takes the lock, so that a second writer waits
// and then reads what the first one wrote.
//
// access  write
// param   group_id     : STRING — the tenant
// param   session_id   : STRING
// param   revision     : STRING — revision that was read; empty for a new session
// param   following    : STRING — revision after this write
// param   total_tokens : INTEGER
// param   ids          : LIST<STRING>
// param   positions    : LIST<INTEGER>
// param   versions     : LIST<STRING>
// param   history      : LIST<STRING> — JSON, the latest last
// param   now          : STRING — ISO 8601, UTC
// returns written      : BOOLEAN
// returns total_tokens : INTEGER
// returns ids          : LIST<STRING>
// returns positions    : LIST<INTEGER>
// returns versions     : LIST<STRING>
// returns history      : LIST<STRING>
// returns revision     : STRING
MERGE (s:Session {session_id: $group_id + '|' + $session_id})
ON CREATE SET
  s.group_id = $group_id, s.revision = '', s.total_tokens = 0, s.history = [],
  s.loaded_ids = [], s.loaded_positions = [], s.loaded_versions = []
SET s.updated_at = $now
WITH s, s.revision = $revision AS written
FOREACH (_ IN CASE WHEN written THEN [0] ELSE [] END |
  SET
    s.revision = $following,
    s.total_tokens = $total_tokens,
    s.loaded_ids = $ids,
    s.loaded_positions = $positions,
    s.loaded_versions = $versions,
    s.history = $history
)
WITH s, written, CASE WHEN written THEN [] END AS nothing
RETURN written, s.total_tokens AS total_tokens, coalesce(nothing, s.loaded_ids) AS ids,
       coalesce(nothing, s.loaded_positions) AS positions,
       coalesce(nothing, s.loaded_versions) AS versions,
       coalesce(nothing, s.history) AS history, s.revision AS revision
