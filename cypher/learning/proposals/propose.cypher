// Store proposals; one that exists stays as it is, so that a decision holds.
//
// A proposal about a memory of unknown authority has an unknown one, too.
//
// access  write
// param   group_id  : STRING — the tenant
// param   now       : STRING — ISO 8601, UTC
// param   run_id    : STRING? — the maintenance run that proposes; null outside of runs
// param   origin    : MAP — way_in, caller, authority, above and origin_id
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
  p.origin_authority = CASE
    WHEN all(e IN [a, b] WHERE e:NamedEntity OR e.origin_authority IS NOT NULL)
    THEN $origin.authority END,
  p.origin_way_in = $origin.way_in,
  p.origin_caller = $origin.caller,
  p.origin_id = $origin.origin_id,
  p.created_at = $now
MERGE (a)-[:HAS_PROPOSAL]->(p)
MERGE (b)-[:HAS_PROPOSAL]->(p)
RETURN count(CASE WHEN known IS NULL THEN 1 END) AS created
