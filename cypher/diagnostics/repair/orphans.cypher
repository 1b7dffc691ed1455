// Remove the nodes of memories that no longer exist.
//
// access  batch
// param   only  : STRING? — the group to treat; null for all
// param   batch : INTEGER — nodes in one transaction
// returns group_id : STRING
// returns what     : STRING
// returns count    : INTEGER
// include fragments/memory/orphans
WITH n, coalesce(n.group_id, '') AS group_id
WHERE $only IS NULL OR group_id = $only
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF $batch ROWS
RETURN group_id, 'orphan' AS what, count(*) AS count
ORDER BY group_id
