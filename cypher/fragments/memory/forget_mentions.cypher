// Erase the mentions of memory `m`, and the entities that no other memory mentions.
//
// access  fragment
CALL (m) {
  MATCH (m)-[mention:HAS_MENTION]->(e:NamedEntity)
  WITH mention, e ORDER BY e.uuid
  SET e.group_id = e.group_id  // a lock
  DELETE mention
  WITH DISTINCT e
  WHERE NOT EXISTS { (e)<-[:HAS_MENTION]-() }
  DETACH DELETE e
}
