// Erase the open proposals of a run, and entities that only they kept.
//
// access  batch
// param   run_id   : STRING
// param   group_id : STRING? — only of this tenant
// param   batch    : INTEGER — proposals in one transaction
// returns erased : INTEGER
MATCH (p:Proposal {run_id: $run_id})
WHERE p.status = 'open' AND ($group_id IS NULL OR p.group_id = $group_id)
CALL (p) {
  OPTIONAL MATCH (e:NamedEntity)-[:HAS_PROPOSAL]->(p)
  WITH p, collect(e) AS ends
  DETACH DELETE p
  WITH ends UNWIND ends AS e
  WITH e WHERE NOT EXISTS { (e)-[:HAS_PROPOSAL]->() }
  OPTIONAL MATCH (e)<-[had:HAD_MENTION]-()
  DELETE had
  WITH DISTINCT e WHERE NOT EXISTS { (e)<-[:HAS_MENTION]-() }
  DETACH DELETE e
} IN TRANSACTIONS OF $batch ROWS
RETURN count(*) AS erased
