// Count the memories that a run would purge.
//
// access  read
// param   deleted_before : STRING — ISO 8601, UTC
// returns purged : INTEGER
MATCH (m:Memory)
WHERE m.soft_deleted_at < $deleted_before AND m.lifecycle_state = 'SOFT_DELETED' AND
  // include fragments/maintenance/in_scope
RETURN count(m) AS purged
