// Count which memories the copies of moved groups hold that wait on a server to be erased.
//
// access  read
// param   memory_ids : LIST<STRING>
// returns held : INTEGER
MATCH (n:MovedCopy)
WHERE n.uuid IN $memory_ids
RETURN count(DISTINCT n.uuid) AS held
