// List the texts of a group in the order of ids, and which memories are to be compared.
//
// A memory is to be compared if its text is not the one that was compared last.
//
// access  read
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states of the memories that count
// param   now      : STRING — ISO 8601, UTC
// param   after_id : STRING — the last id of the page before; empty for the first
// param   limit    : INTEGER — memories of a page
// returns memory_id    : STRING
// returns text         : STRING
// returns content_hash : STRING
// returns waiting      : BOOLEAN
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid > $after_id AND m.lifecycle_state IN $states
  AND (m.invalid_at IS NULL OR m.invalid_at > $now)
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id,
       coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), '') AS text,
       coalesce(toStringOrNull(m.content_hash), '') AS content_hash,
       m.embedding_model IS NOT NULL AND m.content_hash IS NOT NULL
         AND coalesce(m.proposed_hash <> m.content_hash, true) AND
         // include fragments/maintenance/in_canary
         AS waiting
ORDER BY memory_id
