// Erase the records of learned changes that can no longer be undone.
//
// access  batch
// param   groups         : LIST<STRING>? — null: all
// param   changed_before : STRING — ISO 8601, UTC
// param   run_id         : STRING — the present run, whose changes stay
// param   batch          : INTEGER — changes in one transaction
// returns erased : INTEGER
MATCH (change:LearningChange)
WHERE change.at <= $changed_before AND change.run_id <> $run_id
  AND ($groups IS NULL OR change.group_id IN $groups)
CALL (change) {
  DELETE change
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
