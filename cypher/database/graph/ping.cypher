// Answer, to show that the database does.
//
// access  read
// returns answer : INTEGER
RETURN 1 AS answer
