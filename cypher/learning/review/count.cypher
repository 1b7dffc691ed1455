// Count the proposals of a group by status.
//
// access  read
// returns count : INTEGER
// include learning/review/chosen
RETURN count(p) AS count
