// Delete a session; relations keep its uses, and its group the lessons with a use.
//
// access  write
// param   group_id   : STRING — the tenant
// param   session_id : STRING
// returns forgotten : INTEGER
MATCH (s:Session {session_id: $group_id + '|' + $session_id})
// include fragments/session/keep_uses
// include fragments/session/keep_lessons
DELETE s
RETURN count(*) AS forgotten
