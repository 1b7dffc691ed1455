// Stream the texts of a group, to count in how many memories each word occurs.
//
// access  stream
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states of the memories that count
// param   now      : STRING — ISO 8601, UTC
// returns text : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states AND (m.invalid_at IS NULL OR m.invalid_at > $now)
RETURN coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), '') AS text
