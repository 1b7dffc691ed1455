// List the receipts of the erasures in a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns key        : STRING
// returns at         : STRING — ISO 8601, UTC
// returns memory_ids : LIST<STRING>
// returns receipt    : STRING — JSON
MATCH (c:Control)
WHERE c.key STARTS WITH 'erasure:' AND c.group_id = $group_id
RETURN c.key AS key, c.at AS at, c.memory_ids AS memory_ids, c.receipt AS receipt
ORDER BY key
