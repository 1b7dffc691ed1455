// Turn entities into memories; values under our property names are set aside for a release.
//
// access  write
// param   group_id : STRING — the tenant
// param   entities : LIST<MAP> — uuid and the row of fragments/memory/fill; sorted by id
// param   owned    : LIST<STRING> — names of our properties
// param   now      : STRING — ISO 8601, UTC
// returns memory_id : STRING
UNWIND $entities AS row
MATCH (n:Entity {uuid: row.uuid})
WHERE n.group_id = $group_id AND n.lifecycle_state IS NULL
CALL (n) {
  WITH n, [key IN keys(n) WHERE key IN $owned] AS ours WHERE size(ours) > 0 OR n:Memory
  CREATE (was:EntityBefore {uuid: n.uuid, group_id: n.group_id, was_memory: n:Memory})
  FOREACH (key IN ours | SET was['was_' + key] = n[key])
  FOREACH (key IN [key IN ours WHERE NOT key IN ['importance', 'stability']] | SET n[key] = null)
  FOREACH (_ IN CASE WHEN coalesce(1 <= n.importance <= 10, false) THEN [] ELSE [1] END |
    SET n.importance = null)
  FOREACH (_ IN CASE WHEN coalesce(n.stability IN [1, 2, 3, 4, 5], false) THEN [] ELSE [1] END |
    SET n.stability = null)
}
SET n.adopted_at = $now
WITH n, row
// include fragments/memory/fill
SET n.adopted_hash = n.content_hash
WITH n AS m
// include decay/schedule
RETURN m.uuid AS memory_id
