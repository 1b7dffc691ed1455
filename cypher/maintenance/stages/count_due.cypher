// Count the memories that are due at an instant.
//
// access  read
// param   now    : STRING — ISO 8601, UTC
// returns due : INTEGER
MATCH (m:Memory)
WHERE m.next_due_at <= $now AND
  // include fragments/maintenance/in_scope
RETURN count(m) AS due
