// Erase the call counts of callers that have not called for long.
//
// access  batch
// param   called_before : STRING — ISO 8601, UTC
// param   batch         : INTEGER — callers in one transaction
// returns erased : INTEGER
MATCH (rate:Control)
WHERE rate.key STARTS WITH 'rate:' AND rate.asked_at < $called_before
CALL (rate) {
  DELETE rate
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
