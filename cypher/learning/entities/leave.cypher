// Remove the entities of `lefts` that no memory mentions any more, unless proposals keep them.
//
// An entity that proposals keep is connected with the last memory that mentioned it.
//
// access  fragment
// param   entities : LIST<MAP> — our entities that were stored, with entity_id
CALL (lefts) {
  UNWIND lefts AS left
  UNWIND left AS pair
  WITH pair.entity_id AS entity_id, min(pair.memory_id) AS memory_id ORDER BY entity_id
  MATCH (e:NamedEntity {uuid: entity_id})
  WHERE NOT EXISTS { (e)<-[:HAS_MENTION|HAD_MENTION]-() } AND EXISTS { (e)-[:HAS_PROPOSAL]->() }
  MATCH (m:Memory {uuid: memory_id})
  CREATE (m)-[:HAD_MENTION]->(e)
}
CALL (lefts) {
  UNWIND lefts + [$entities] AS left
  UNWIND left AS pair
  WITH DISTINCT pair.entity_id AS entity_id ORDER BY entity_id
  MATCH (e:NamedEntity {uuid: entity_id})
  WHERE NOT EXISTS { (e)<-[:HAS_MENTION|HAD_MENTION]-() }
  DETACH DELETE e
}
