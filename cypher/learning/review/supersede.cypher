// Accept a proposal by which one memory supersedes another, and record what an undo restores.
//
// access  write
// param   group_id      : STRING — the tenant
// param   proposal_id   : STRING
// param   memory_id     : STRING — the memory that becomes obsolete
// param   metadata      : STRING — the metadata of the relation, as JSON
// param   kept          : LIST<STRING> — properties that superseding changes
// param   relation_id   : STRING — id of the relation, if it is created
// returns memory_id   : STRING
// returns state       : STRING
// returns obsolete_at : STRING?
// returns invalid_at  : STRING?
// returns refused     : STRING? — reason for no change: ended, ahead or settled
// returns holder      : STRING? — id of the current successor of the refused memory
// returns since       : STRING? — start of validity of the refused memory
// returns again       : BOOLEAN — whether the successor superseded the memory before
MATCH (p:Proposal {uuid: $proposal_id, group_id: $group_id})
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WITH p, m {.*, embedding: null} AS was
CALL () {
  // include memories/lifecycle/superseded
  RETURN m, other, refused, holder, again
}
CALL (p, m, other, was, refused, again) {
  WITH p, m, other, was WHERE refused IS NULL AND NOT again
  FOREACH (key IN $kept |
    SET p['before_' + key] = was[key]
    SET p['after_' + key] = m[key]
  )
  WITH p, m, other
  MATCH (other)-[r:RELATES_TO {edge_key: other.uuid + '|supersedes|' + m.uuid}]->(m)
  WHERE r.uuid = $relation_id
  SET r.metadata_json = $metadata, p.relation_id = r.uuid, p.relation_metadata = $metadata
  SET r.origin_authority = CASE WHEN p.origin_authority IS NOT NULL THEN r.origin_authority END
}
CALL (p, refused) {
  WITH p WHERE refused IS NULL
  // include learning/review/accepted
}
RETURN m.uuid AS memory_id, m.lifecycle_state AS state, m.obsolete_at AS obsolete_at,
       m.invalid_at AS invalid_at, refused, holder, other.valid_at AS since,
       coalesce(again, false) AS again
