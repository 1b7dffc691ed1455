// Find the entities of a group with one of the given names.
//
// access  read
// param   group_id : STRING — the tenant
// param   names    : LIST<STRING>
// returns entity : MAP<ANY>
MATCH (n:Entity)
WHERE n.group_id = $group_id AND n.name IN $names AND n.soft_deleted_at IS NULL
// include graphiti/search/entity
RETURN entity
