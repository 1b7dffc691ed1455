// Keep only the latest parent of each memory of a group that has two parents.
//
// access  batch
// param   group_id : STRING — the tenant
// param   batch    : INTEGER — memories in one transaction
// returns count : INTEGER — memories that had two
MATCH (m:Memory {group_id: $group_id})
WHERE COUNT { (m)-[:HAS_PARENT]->() } > 1
CALL (m) {
  MATCH (m)-[link:HAS_PARENT]->(parent)
  WITH link ORDER BY link.created_at IS NULL, link.created_at DESC, parent.uuid
  WITH collect(link) AS links
  FOREACH (former IN links[1..] | DELETE former)
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS count
