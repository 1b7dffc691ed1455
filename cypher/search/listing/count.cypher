// Count the memories of a group that pass the filters of a list.
//
// access  read
// param   at_most  : INTEGER — number up to which memories are counted
// returns total : INTEGER
WITH true AS needed
// include fragments/memory/narrowed
// include fragments/memory/filter
WITH m LIMIT $at_most
RETURN count(m) AS total
