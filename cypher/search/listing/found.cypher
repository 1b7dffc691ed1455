// Count the memories that the index of one filter finds in a group, up to a number.
//
// access  read
// param   at_most : INTEGER — number up to which memories are counted
// returns total : INTEGER
WITH true AS needed
// include fragments/memory/narrowed
WITH m LIMIT $at_most
RETURN count(m) AS total
