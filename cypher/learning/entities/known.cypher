// List the entities of Graphiti in a group, adopted ones included.
//
// access  read
// param   group_id : STRING — the tenant
// returns entity_id : STRING
// returns name      : STRING
MATCH (n:Entity {group_id: $group_id})
WHERE (NOT n:Memory OR n.adopted_at IS NOT NULL) AND n.soft_deleted_at IS NULL
  AND toStringOrNull(n.name) IS NOT NULL AND toStringOrNull(n.uuid) IS NOT NULL
RETURN toString(n.uuid) AS entity_id, toString(n.name) AS name
ORDER BY entity_id
