// Bind in `one` the entities that relations make one with `e`, the one that names them first.
//
// Graphiti's entities come first, then names, then those that most memories mention. With equal
// numbers, the longer form comes first, then the alphabet decides.
//
// access  fragment
CALL (e) {
  WITH e WHERE NOT EXISTS { (e)-[:SAME_AS]-() }
  RETURN [e] AS one
UNION ALL
  WITH e WHERE EXISTS { (e)-[:SAME_AS]-() }
  MATCH (e)-[:SAME_AS*0..]-(x:Entity|NamedEntity)
  WITH DISTINCT x
  WITH x, COUNT { (x)<-[:HAS_MENTION]-(by:Memory) WHERE by.soft_deleted_at IS NULL } AS uses,
       coalesce(CASE WHEN x:NamedEntity THEN x.key END, toStringOrNull(x.name), '') AS form
  ORDER BY x:NamedEntity, coalesce(x.kind, 'name') <> 'name', uses DESC, size(form) DESC, form,
    x.uuid
  WITH collect(x) AS one WHERE size(one) > 0
  RETURN one
}
