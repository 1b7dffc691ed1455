// Describe entities of a group by id, those that are one together.
//
// access  read
// param   group_id   : STRING — the tenant
// param   entity_ids : LIST<STRING>
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING
// returns aliases   : LIST<MAP> — entity_id, kind and name of those that are one with it
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
CALL () {
  UNWIND $entity_ids AS entity_id
  MATCH (e:NamedEntity {uuid: entity_id, group_id: $group_id})
  RETURN e
UNION ALL
  UNWIND $entity_ids AS entity_id
  MATCH (e:Entity {uuid: entity_id, group_id: $group_id})
  RETURN e
}
// include learning/mentioned/one
WITH DISTINCT one
// include learning/mentioned/described
WITH one, memories, mentions WHERE memories > 0
// include learning/mentioned/returned
