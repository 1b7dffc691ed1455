// List the receipts of all groups, the earliest first.
//
// access  read
// returns receipt : STRING — JSON
MATCH (c:Control)
WHERE c.key STARTS WITH 'erasure:'
RETURN c.receipt AS receipt ORDER BY c.at, c.key
