// List texts of a group that mention two entities or more, in the order of the ids of memories.
//
// The texts have one of some words.
//
// access  read
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states of the memories that count
// param   now        : STRING — ISO 8601, UTC
// param   words      : LIST<STRING> — in lower case
// param   characters : INTEGER — characters of a text at most
// param   after_id   : STRING — the last id of the page before; empty for the first
// param   limit      : INTEGER — memories of a page
// returns memory_id : STRING
// returns text      : STRING
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id AND m.lifecycle_state IN $states AND m.mention_count > 1
  AND (m.invalid_at IS NULL OR m.invalid_at > $now)
WITH m, coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), '') AS text
WITH m, text, toLower(text) AS lower
WHERE any(word IN $words WHERE lower CONTAINS word)
WITH m, text ORDER BY m.group_id, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, left(text, $characters) AS text
ORDER BY memory_id
