// Accept proposals that become relations, and record what an undo restores.
//
// A relation that exists stays as it is. One that has ended gives its key to the new relation.
//
// access  write
// param   group_id  : STRING — the tenant
// param   relations : LIST<MAP> — as in fragments/relation/create, and proposal_id
// param   now       : STRING — ISO 8601, UTC
// returns proposal_id : STRING
CALL () {
  UNWIND $relations AS row
  MATCH (p:Proposal {uuid: row.proposal_id, group_id: $group_id})
  MATCH (:Memory {uuid: row.from_id})-[former:RELATES_TO {edge_key: row.edge_key}]->()
  WHERE former.invalid_at <= datetime($now)
  SET p.former_id = former.uuid, p.former_was_open = former.expired_at IS NULL
}
// include fragments/relation/create
MATCH (p:Proposal {uuid: row.proposal_id, group_id: $group_id})
SET
  p.relation_id = CASE WHEN r.uuid = row.relation_id THEN r.uuid END,
  p.relation_metadata = CASE WHEN r.uuid = row.relation_id THEN r.metadata_json END,
  r.origin_authority = CASE WHEN r.uuid <> row.relation_id OR p.origin_authority IS NOT NULL
    THEN r.origin_authority END
// include learning/review/accepted
RETURN p.uuid AS proposal_id
