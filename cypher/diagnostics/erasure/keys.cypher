// List the keys of the receipts in this database: its own, and those of servers of moved groups.
//
// access  read
// returns secret : STRING
MATCH (c:Control)
WHERE c.key = 'erasure' OR c.key STARTS WITH 'erasure_key|'
RETURN c.secret AS secret ORDER BY c.key
