// Stream the memories of a group that are to be compared, with the hashes of their texts.
//
// A memory is to be compared if its text is not the one that was compared last.
//
// access  stream
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states of the memories that count
// param   now      : STRING — ISO 8601, UTC
// returns memory_id    : STRING
// returns content_hash : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states AND (m.invalid_at IS NULL OR m.invalid_at > $now)
  AND m.embedding_model IS NOT NULL AND m.content_hash IS NOT NULL
  AND coalesce(m.proposed_hash <> m.content_hash, true) AND
  // include fragments/maintenance/in_canary
RETURN m.uuid AS memory_id, coalesce(toStringOrNull(m.content_hash), '') AS content_hash
