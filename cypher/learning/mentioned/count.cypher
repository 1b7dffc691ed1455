// Count the entities of a group that memories mention.
//
// access  read
// returns count : INTEGER
// include learning/mentioned/chosen
RETURN count(e) AS count
