// Store proposals; one that exists stays as it is, so that a decision holds.
//
// access  write
// param   group_id  : STRING — the tenant
// param   now       : STRING — ISO 8601, UTC
// param   run_id    : STRING? — the maintenance run that proposes; null outside of runs
// param   proposals : LIST<MAP> — proposal_id, kind, from_id, to_id, reason and score
// returns created : INTEGER — proposals that did not exist
UNWIND $proposals AS row
MATCH (a:Entity|NamedEntity {uuid: row.from_id, group_id: $group_id})
MATCH (b:Entity|NamedEntity {uuid: row.to_id, group_id: $group_id})
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
OPTIONAL MATCH (known:Proposal {uuid: row.proposal_id})
MERGE (p:Proposal {uuid: row.proposal_id})
ON CREATE SET
  p.group_id = $group_id,
  p.kind = row.kind,
  p.from_id = row.from_id,
  p.to_id = row.to_id,
  p.reason = row.reason,
  p.score = row.score,
  p.status = 'open',
  p.run_id = $run_id,
  p.created_at = $now
MERGE (a)-[:HAS_PROPOSAL]->(p)
MERGE (b)-[:HAS_PROPOSAL]->(p)
RETURN count(CASE WHEN known IS NULL THEN 1 END) AS created
