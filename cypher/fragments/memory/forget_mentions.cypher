// Erase the mentions of memory `m`, and the entities and proposals that only it keeps.
//
// access  fragment
CALL (m) {
  MATCH (m)-[mention:HAS_MENTION|HAD_MENTION]->(e:NamedEntity)
  WITH mention, e ORDER BY e.uuid
  SET e.group_id = e.group_id  // a lock
  DELETE mention
  WITH DISTINCT e
  WHERE NOT EXISTS { (e)<-[:HAS_MENTION|HAD_MENTION]-() }
  OPTIONAL MATCH (e)-[:HAS_PROPOSAL]->(about:Proposal)
  DETACH DELETE about, e
}
