// Describe entities of a group by id.
//
// access  read
// param   group_id   : STRING — the tenant
// param   entity_ids : LIST<STRING>
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING? — name of an entity of Graphiti
// returns key       : STRING — the normalised form, or the name
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
CALL () {
  UNWIND $entity_ids AS entity_id
  MATCH (e:NamedEntity {uuid: entity_id, group_id: $group_id})
  RETURN e
UNION ALL
  UNWIND $entity_ids AS entity_id
  MATCH (e:Entity {uuid: entity_id, group_id: $group_id})
  WHERE EXISTS { (e)<-[:HAS_MENTION]-() }
  RETURN e
}
// include learning/mentioned/described
RETURN e.uuid AS entity_id, CASE WHEN e:NamedEntity THEN e.kind ELSE 'name' END AS kind,
       CASE WHEN e:NamedEntity THEN null ELSE toStringOrNull(e.name) END AS name,
       coalesce(CASE WHEN e:NamedEntity THEN e.key END, toStringOrNull(e.name)) AS key,
       memories, mentions
ORDER BY memories DESC, key, entity_id
