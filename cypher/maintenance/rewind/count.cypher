// Count all memories, deleted ones included.
//
// access  read
// returns memories : INTEGER
MATCH (m:Memory)
RETURN count(m) AS memories
