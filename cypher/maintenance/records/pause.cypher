// Pause runs: none starts, and the run in progress stops; an earlier pause stays as it is.
//
// access  write
// param   reason : STRING
// param   now    : STRING — ISO 8601, UTC
// returns reason : STRING
// returns since  : STRING
MERGE (pause:Control {key: 'pause'})
SET
  pause.reason = CASE WHEN pause.since IS NULL THEN $reason ELSE pause.reason END,
  pause.since = coalesce(pause.since, $now)
RETURN pause.reason AS reason, pause.since AS since
