// Accept proposals that two entities are one: a relation connects them, and both stay as they are.
//
// access  write
// param   group_id  : STRING — the tenant
// param   origin    : MAP — way_in, caller, authority, above and origin_id
// param   merges    : LIST<MAP> — proposal_id and relation_id, in the order of proposals
// param   now       : STRING — ISO 8601, UTC
// param   run_id    : STRING
// returns proposal_id : STRING
UNWIND $merges AS row
MATCH (p:Proposal {uuid: row.proposal_id, group_id: $group_id})
WHERE p.status = 'open'
// include learning/review/ends
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
  AND EXISTS { (a)<-[:HAS_MENTION]-() } AND EXISTS { (b)<-[:HAS_MENTION]-() }
CREATE (a)-[:SAME_AS {
  uuid: row.relation_id, proposal_id: p.uuid, run_id: $run_id, score: p.score, created_at: $now,
  origin_authority: CASE WHEN p.origin_authority IS NOT NULL THEN $origin.authority END,
  origin_way_in: $origin.way_in, origin_caller: $origin.caller, origin_id: $origin.origin_id
}]->(b)
SET p.relation_id = row.relation_id
// include learning/review/accepted
RETURN p.uuid AS proposal_id
