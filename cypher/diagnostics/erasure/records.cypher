// List what was erased with a receipt, in all groups.
//
// access  read
// returns group_id   : STRING
// returns at         : STRING — ISO 8601, UTC
// returns memory_ids : LIST<STRING>
MATCH (c:Control)
WHERE c.key STARTS WITH 'erasure:'
RETURN c.group_id AS group_id, c.at AS at, c.memory_ids AS memory_ids ORDER BY at
