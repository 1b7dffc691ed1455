// Erase the relations that were created after an instant.
//
// access  batch
// param   until : STRING — ISO 8601, UTC
// param   batch : INTEGER — relations in one transaction
// returns removed : INTEGER
MATCH ()-[r:RELATES_TO]->()
WHERE r.created_at > datetime($until)
CALL (r) {
  DELETE r
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS removed
