// Count the memories of each group of this database, deleted ones included.
//
// access  read
// returns group_id : STRING
// returns memories : INTEGER
MATCH (m:Memory)
RETURN m.group_id AS group_id, count(*) AS memories
ORDER BY group_id
