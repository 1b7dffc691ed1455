// Erase the open proposals of a run.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   batch    : INTEGER — proposals in one transaction
// returns erased : INTEGER
MATCH (p:Proposal {run_id: $run_id})
WHERE p.status = 'open' AND ($group_id IS NULL OR p.group_id = $group_id)
CALL (p) {
  DETACH DELETE p
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
