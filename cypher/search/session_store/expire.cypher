// Delete the sessions of a group that were not used since an instant; relations keep their uses.
//
// access  batch
// param   group_id : STRING — the tenant
// param   before   : STRING — ISO 8601, UTC
// returns expired : INTEGER
MATCH (s:Session)
WHERE s.session_id STARTS WITH $group_id + '|' AND s.updated_at < $before
CALL (s) {
  // include fragments/session/keep_uses
  DELETE s
} IN TRANSACTIONS OF 2000 ROWS
RETURN count(*) AS expired
