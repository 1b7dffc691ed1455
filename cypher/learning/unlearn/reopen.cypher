// Take back decisions on proposals, unless what they made was changed since.
//
// access  write
// param   run_id       : STRING? — the run that decided; null for any
// param   proposal_ids : LIST<STRING> — sorted
// param   kept         : LIST<STRING> — properties that superseding changes
// param   compared     : LIST<STRING> — those of them that show a later change
// returns proposal_id : STRING
// returns memory_id : STRING — the second memory or entity of the proposal
// returns decided_by : STRING — the caller or setting that decided
// returns refused   : STRING? — the reason why the decision stays; null if it is taken back
UNWIND $proposal_ids AS proposal_id
MATCH (p:Proposal {uuid: proposal_id})
WHERE p.status <> 'open' AND ($run_id IS NULL OR p.decided_run_id = $run_id)
OPTIONAL MATCH (a:Entity|NamedEntity {uuid: p.from_id})-[:HAS_PROPOSAL]->(p)
OPTIONAL MATCH (m:Entity|NamedEntity {uuid: p.to_id})-[:HAS_PROPOSAL]->(p)
// include fragments/memory/lock
OPTIONAL MATCH (a)-[r:RELATES_TO|SAME_AS {uuid: p.relation_id}]->(m)
OPTIONAL MATCH (a)-[former:RELATES_TO {uuid: p.former_id}]->(m)
WITH *, coalesce(p.decided_by, '') AS decided_by, CASE
  WHEN a IS NULL OR m IS NULL THEN 'it, or the other memory of its proposal, was deleted since'
  WHEN p.relation_id IS NOT NULL AND (
    r IS NULL OR r.expired_at IS NOT NULL OR r.metadata_json <> p.relation_metadata
  ) THEN 'the relation to it was changed since'
  WHEN p.after_lifecycle_state IS NOT NULL AND any(key IN $compared
    WHERE NOT coalesce(m[key] = p['after_' + key], m[key] IS NULL AND p['after_' + key] IS NULL)
  ) THEN 'it was changed since'
END AS refused
CALL (p, m, r, former, refused) {
  WITH p, m, r, former WHERE refused IS NULL
  FOREACH (_ IN CASE WHEN r IS NULL THEN [] ELSE [1] END | DELETE r)
  FOREACH (_ IN CASE WHEN former IS NULL THEN [] ELSE [1] END |
    SET
      former.edge_key = p.from_id + '|' + former.name + '|' + p.to_id,
      former.expired_at = CASE WHEN p.former_was_open THEN null ELSE former.expired_at END
  )
  FOREACH (key IN CASE WHEN p.after_lifecycle_state IS NULL THEN [] ELSE $kept END |
    SET m[key] = p['before_' + key]
  )
  FOREACH (key IN $kept |
    SET p['before_' + key] = null
    SET p['after_' + key] = null
  )
  SET
    p.status = 'open', p.decided_at = null, p.decided_by = null, p.decided_run_id = null,
    p.relation_id = null, p.relation_metadata = null, p.former_id = null,
    p.former_was_open = null
}
RETURN p.uuid AS proposal_id, m.uuid AS memory_id, decided_by, refused
