// List the texts of a group that may state the value of a slot, in the order of ids.
//
// access  read
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states of the memories that count
// param   now      : STRING — ISO 8601, UTC
// param   characters : INTEGER — characters of a text that are returned
// param   cues     : LIST<STRING> — parts of words in lower case; a text has at least one
// param   after_id : STRING — the last id of the page before; empty for the first
// param   limit    : INTEGER — memories of a page
// returns memory_id  : STRING
// returns text       : STRING
// returns metadata   : STRING
// returns at         : STRING — since when it is true, or else stored
// returns created_at : STRING — ISO 8601, UTC
// returns authority  : STRING?
// returns protected  : BOOLEAN
// returns held       : BOOLEAN — whether an undo holds
// returns in_canary  : BOOLEAN
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id AND m.lifecycle_state IN $states
  AND (m.invalid_at IS NULL OR m.invalid_at > $now)
WITH m, left(coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), ''), $characters)
  AS text
WITH m, text, toLower(text) AS lower
WHERE any(cue IN $cues WHERE lower CONTAINS cue)
WITH m, text, format(datetime({epochMillis: m.created_at.epochMillis}),
  "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") AS created_at
WITH *, coalesce(toStringOrNull(m.valid_at), created_at) AS at
WHERE at <= $now
WITH * ORDER BY m.group_id, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, text, coalesce(toStringOrNull(m.metadata_json), '') AS metadata, at,
       created_at, m.origin_authority AS authority, coalesce(m.is_protected, false) AS protected,
       coalesce(m.held_until > $now, false) AS held,
       // include fragments/maintenance/in_canary
       AS in_canary
ORDER BY memory_id
