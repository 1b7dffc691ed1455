// Create each relation `r` of a `row`, from `a` to `b`; skip rows with a missing end.
//
// A relation that has ended stays as it was, and a new one is created beside it. If a row ends an
// active relation at an instant in the past, the end counts as known from now on.
// A strength that is given holds until a run learns again.
//
// access  fragment
// param   group_id  : STRING — the tenant
// param   relations : LIST<MAP> — relation_id, edge_key, from_id, to_id, relation_type, fact,
//                     valid_at and invalid_at; strength and metadata_json of a new relation;
//                     given_strength and given_metadata_json, where null keeps the stored value
// param   origin    : MAP — way_in, caller, authority, above and origin_id
// param   now       : STRING — ISO 8601, UTC
UNWIND $relations AS row
MATCH (a:Memory {uuid: row.from_id, group_id: $group_id})
MATCH (b:Memory {uuid: row.to_id, group_id: $group_id})
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
CALL (row, a, b) {
  MATCH (a)-[former:RELATES_TO {edge_key: row.edge_key}]->(b)
  WHERE former.invalid_at <= datetime($now)
    AND coalesce(datetime(row.invalid_at) > datetime($now), true)
  SET former.expired_at = coalesce(former.expired_at, former.invalid_at), former.edge_key = null
}
MERGE (a)-[r:RELATES_TO {edge_key: row.edge_key}]->(b)
ON CREATE SET
  r.uuid = row.relation_id,
  r.group_id = $group_id,
  r.group_key = a.group_key,
  r.name = row.relation_type,
  r.episodes = [],
  r.created_at = datetime($now),
  r.valid_at = datetime($now),
  r.origin_authority = $origin.authority,
  r.origin_way_in = $origin.way_in,
  r.origin_caller = $origin.caller,
  r.origin_id = $origin.origin_id,
  r.strength = row.strength,
  r.metadata_json = row.metadata_json
ON MATCH SET
  r.origin_authority =
    CASE WHEN r.origin_authority IN $origin.above THEN $origin.authority
      ELSE r.origin_authority END,
  r.expired_at = CASE
    WHEN coalesce(r.invalid_at > datetime($now), true)
      AND datetime(row.invalid_at) <= datetime($now) THEN datetime($now)
    ELSE r.expired_at
  END,
  r.strength = coalesce(row.given_strength, r.strength),
  r.learned_strength = CASE WHEN row.given_strength IS NULL THEN r.learned_strength END,
  r.use_count = CASE WHEN row.given_strength IS NULL THEN r.use_count END,
  r.last_used_at = CASE WHEN row.given_strength IS NULL THEN r.last_used_at END,
  r.metadata_json = coalesce(row.given_metadata_json, r.metadata_json)
SET
  r.valid_at = coalesce(datetime(row.valid_at), r.valid_at),
  r.invalid_at = coalesce(datetime(row.invalid_at), r.invalid_at),
  r.fact = coalesce(row.fact, r.fact, a.name + ' ' + row.relation_type + ' ' + b.name)
