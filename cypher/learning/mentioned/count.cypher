// Count the entities of a group that memories mention; those that are one count once.
//
// access  read
// returns count : INTEGER
// include learning/mentioned/chosen
// include learning/mentioned/one
RETURN count(DISTINCT one) AS count
