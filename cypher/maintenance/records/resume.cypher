// Let runs start again, and return the pause that ends.
//
// access  write
// returns reason : STRING — why they were paused
// returns since  : STRING
MATCH (pause:Control {key: 'pause'})
WHERE pause.since IS NOT NULL
WITH pause, pause.reason AS reason, pause.since AS since
SET pause.reason = null, pause.since = null
RETURN reason, since
