// Count the memories that a run would purge.
//
// access  read
// param   now            : STRING — ISO 8601, UTC
// param   deleted_before : STRING — ISO 8601, UTC
// returns purged : INTEGER
MATCH (m:Memory)
WHERE m.soft_deleted_at < $deleted_before AND m.lifecycle_state = 'SOFT_DELETED'
  AND coalesce(m.held_until <= $now, true) AND
  // include fragments/maintenance/in_scope
RETURN count(m) AS purged
