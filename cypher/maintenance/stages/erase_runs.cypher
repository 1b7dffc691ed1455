// Erase the records of ended runs that can no longer be undone; the totals over all runs stay.
//
// access  batch
// param   groups       : LIST<STRING>? — null: all
// param   begun_before : STRING — ISO 8601, UTC
// param   run_id       : STRING — the present run, which stays
// param   batch        : INTEGER — runs in one transaction
// returns erased : INTEGER
MATCH (run:MaintenanceRun)
WHERE run.status IN ['done', 'failed', 'undone'] AND run.now < $begun_before
  AND run.run_id <> $run_id
  AND ($groups IS NULL OR all(group_id IN run.groups WHERE group_id IN $groups))
CALL (run) {
  DELETE run
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
