// List the pairs of names of a group that accepted proposals make one.
//
// access  read
// param   group_id : STRING — the tenant
// returns first  : STRING — the normalised form, or the name of an entity of Graphiti
// returns second : STRING
CALL () {
  MATCH (e:NamedEntity {group_id: $group_id})
  RETURN e
UNION ALL
  MATCH (e:Entity {group_id: $group_id})
  RETURN e
}
MATCH (e)-[:SAME_AS]->(x:Entity|NamedEntity)
RETURN DISTINCT
       coalesce(CASE WHEN e:NamedEntity THEN e.key END, toStringOrNull(e.name), '') AS first,
       coalesce(CASE WHEN x:NamedEntity THEN x.key END, toStringOrNull(x.name), '') AS second
ORDER BY first, second
