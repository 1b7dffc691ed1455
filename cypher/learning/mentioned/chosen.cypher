// Choose the entities `e` of a group that memories mention; those of Graphiti count as names.
//
// Only memories that are not deleted count.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   kinds    : LIST<STRING>? — null for all
CALL () {
  MATCH (e:NamedEntity {group_id: $group_id})
  WHERE ($kinds IS NULL OR e.kind IN $kinds) AND
  // include learning/mentioned/live
  RETURN e
UNION ALL
  MATCH (e:Entity {group_id: $group_id})
  WHERE ($kinds IS NULL OR 'name' IN $kinds) AND
  // include learning/mentioned/live
  RETURN e
}
