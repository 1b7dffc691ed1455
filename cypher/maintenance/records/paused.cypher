// Tell why and since when runs are paused; no row if they are not.
//
// access  read
// returns reason : STRING
// returns since  : STRING
MATCH (pause:Control {key: 'pause'})
WHERE pause.since IS NOT NULL
RETURN pause.reason AS reason, pause.since AS since
