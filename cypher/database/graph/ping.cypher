// Return 1 to show that the database answers.
//
// access  read
// returns answer : INTEGER
RETURN 1 AS answer
