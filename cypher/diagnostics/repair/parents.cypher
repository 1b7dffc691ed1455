// Keep only the latest parent of each memory of a group that has two parents.
//
// access  write
// param   group_id : STRING — the tenant
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE COUNT { (m)-[:HAS_PARENT]->() } > 1
MATCH (m)-[link:HAS_PARENT]->(parent)
WITH m, link ORDER BY link.created_at IS NULL, link.created_at DESC, parent.uuid
WITH m, collect(link) AS links
FOREACH (former IN links[1..] | DELETE former)
RETURN m.uuid AS memory_id
