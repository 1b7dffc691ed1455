// Count the nodes of a group, and the relationships that leave and reach them.
//
// access  stream
// returns nodes    : INTEGER
// returns memories : INTEGER
// returns edges    : INTEGER
// returns incoming : INTEGER — as many, unless some lead to or from nodes of no group
MATCH (n)
WHERE NOT n:MovedCopy AND
  // include fragments/move/of_group
RETURN count(n) AS nodes, count(CASE WHEN n:Memory THEN 1 END) AS memories,
       sum(COUNT { (n)-->() }) AS edges, sum(COUNT { (n)<--() }) AS incoming
