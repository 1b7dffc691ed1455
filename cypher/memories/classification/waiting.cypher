// List memories of a group that wait for a rating: fewest attempts first, then the oldest.
//
// Memories that are held after an undo are left out.
//
// access  read
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// param   limit    : INTEGER
// returns memory_id  : STRING
// returns content    : ANY — text, or a list of one compressed text
// returns updated_at : STRING? — detects a change after the read
MATCH (m:Memory {group_id: $group_id})
WHERE m.classification_status = 'pending' AND m.soft_deleted_at IS NULL
  AND coalesce(m.held_until <= $now, true)
WITH m, coalesce(m.classification_attempts, 0) AS attempts
ORDER BY attempts, m.created_at, m.uuid
LIMIT $limit
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content,
       m.updated_at AS updated_at
ORDER BY attempts, m.created_at, m.uuid
