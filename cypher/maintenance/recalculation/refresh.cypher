// Compute decay scores in a range of ids, and store what differs for memories whose state stays.
//
// That is most memories, and they need no record. The others are left, also those whose protection
// began or ended, and those whose transaction failed: recalculation/listed treats them.
//
// access  batch
// param   after_id    : STRING — the range begins after it
// param   last_id     : STRING — the last of the range
// returns done    : INTEGER — memories that need no more
// returns written : INTEGER — memories whose score or next date was stored
// returns left    : LIST<STRING> — ids of its other memories
MATCH (m:Memory)
WHERE $after_id < m.uuid <= $last_id AND m.lifecycle_state <> 'SOFT_DELETED'
  AND
  // include fragments/maintenance/untreated
  AND
  // include fragments/maintenance/in_scope
WITH collect(m) AS memories, 0 AS unchanged
// include fragments/maintenance/refreshed
