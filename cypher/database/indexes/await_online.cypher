// Wait until every index can be searched.
//
// access  schema
// param   seconds : INTEGER [s] — at most
CALL db.awaitIndexes($seconds)
