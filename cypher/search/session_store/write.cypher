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
// param   loaded       : MAP? — ids, positions and versions of all loads; null leaves them
// param   recent       : MAP — ids, positions and versions of what differs from `loaded`
// param   checked      : INTEGER
// param   history      : LIST<STRING> — JSON, the latest last
// param   now          : STRING — ISO 8601, UTC
// returns written : BOOLEAN
// returns stored  : MAP? — null if the session was written
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
    s.recent_ids = $recent.ids,
    s.recent_positions = $recent.positions,
    s.recent_versions = $recent.versions,
    s.checked = $checked,
    s.history = $history
)
FOREACH (_ IN CASE WHEN written AND $loaded IS NOT NULL THEN [0] ELSE [] END |
  SET
    s.loaded_ids = $loaded.ids,
    s.loaded_positions = $loaded.positions,
    s.loaded_versions = $loaded.versions
)
RETURN written, CASE WHEN written THEN null ELSE
  // include fragments/session/stored
END AS stored
