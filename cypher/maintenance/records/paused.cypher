// Return the reason and the start of the pause of runs; no row if runs are not paused.
//
// access  read
// returns reason : STRING
// returns since  : STRING
MATCH (pause:Control {key: 'pause'})
WHERE pause.since IS NOT NULL
RETURN pause.reason AS reason, pause.since AS since
