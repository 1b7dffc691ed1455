// Delete the sessions of a group that were not used since an instant.
//
// Relations keep their uses, and the group their lessons with a use.
//
// access  batch
// param   group_id : STRING — the tenant
// param   before   : STRING — ISO 8601, UTC
// returns expired : INTEGER
MATCH (s:Session)
WHERE s.session_id STARTS WITH $group_id + '|' AND s.updated_at < $before
CALL (s) {
  // include fragments/session/keep_uses
  // include fragments/session/keep_lessons
  DELETE s
} IN TRANSACTIONS OF 2000 ROWS
RETURN count(*) AS expired
