// Choose the entities `e` of a group that memories mention; those of Graphiti count as names.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   kinds    : LIST<STRING>? — null for all
CALL () {
  MATCH (e:NamedEntity {group_id: $group_id})
  WHERE $kinds IS NULL OR e.kind IN $kinds
  RETURN e
UNION ALL
  MATCH (e:Entity {group_id: $group_id})
  WHERE ($kinds IS NULL OR 'name' IN $kinds) AND EXISTS { (e)<-[:HAS_MENTION]-() }
  RETURN e
}
