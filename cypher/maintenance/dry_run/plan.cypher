// Count the memories of a range of ids by the change of state that decay would cause.
//
// A memory that stays in its state counts with `becomes` equal to `was`. The rest of an interrupted
// run is planned like a run, without what it has treated; a later run leaves out what that moves.
//
// access  read
// param   now        : STRING — the instant of the run, ISO 8601, UTC
// param   after_id   : STRING — the range begins after it
// param   last_id    : STRING — the last of the range
// param   full       : BOOLEAN — true if memories that are not due count too
// param   rest       : BOOLEAN — true for the rest of an interrupted run
// param   treated_to : STRING — the last id up to which the run has treated all, or empty
// param   moved      : LIST<STRING> — ids that the runs finished first would move
// param   limit      : INTEGER — most examples of a change
// returns was      : STRING
// returns becomes  : STRING
// returns count    : INTEGER
// returns examples : LIST<MAP> — memory_id, lead, was, becomes, decay_score; the most faded first
// returns moved    : LIST<STRING> — ids whose state would change, of the rest of a run
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND m.uuid > $treated_to
  AND ($full OR m.next_due_at <= $now AND coalesce(m.last_decay_update <> $now, true))
  AND (NOT $rest OR coalesce(m.last_decay_update <> $now, true)) AND NOT m.uuid IN $moved AND
  // include fragments/maintenance/unmoved
  AND
  // include fragments/maintenance/in_scope
// include decay/next_state
WITH m, faded, toStringOrNull(m.lifecycle_state) AS was, toStringOrNull(outcome) AS becomes
ORDER BY faded DESC, m.uuid
WITH was, becomes, count(*) AS count, collect(CASE WHEN was <> becomes THEN {
  memory_id: m.uuid, lead: toStringOrNull(coalesce(m.summary, m.name)), was: was,
  becomes: becomes,
  decay_score: faded
} END)[..$limit] AS examples, collect(CASE WHEN $rest AND was <> becomes THEN m.uuid END) AS moved
RETURN was, becomes, count, examples, moved
ORDER BY was, becomes
