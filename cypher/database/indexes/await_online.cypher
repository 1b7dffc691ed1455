// Wait until every index is online.
//
// access  schema
// param   seconds : INTEGER [s] — at most
CALL db.awaitIndexes($seconds)
