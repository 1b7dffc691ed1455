// Store the facts that Graphiti found; our properties of existing facts stay.
//
// A fact that ended in between stays ended. An ended relation has no key, so that a new one of its
// type can be created.
//
// access  write
// param   group_id : STRING — the tenant
// param   facts    : LIST<MAP> — uuid, from_id, to_id, name, fact, episodes, created_at,
//                    expired_at, valid_at, invalid_at, reference_time, attributes, embedding
// param   group_key : STRING — digits of the group in the full-text index
// param   origin   : MAP — way_in, caller, authority, above and origin_id
// param   now      : STRING — ISO 8601, UTC
// param   model    : STRING — embedding model
// returns relation_id : STRING
UNWIND $facts AS row
MATCH (a:Entity {uuid: row.from_id})
MATCH (b:Entity {uuid: row.to_id})
WHERE a.group_id = $group_id AND b.group_id = $group_id
MERGE (a)-[r:RELATES_TO {uuid: row.uuid}]->(b)
ON CREATE SET
  r.group_id = $group_id,
  r.name = row.name,
  r.fact = row.fact,
  r.created_at = row.created_at,
  r.reference_time = row.reference_time,
  r.episodes = [],
  r.strength = 0.5,
  r.metadata_json = '{}',
  r.origin_authority = $origin.authority,
  r.origin_way_in = $origin.way_in,
  r.origin_caller = $origin.caller,
  r.origin_id = $origin.origin_id,
  r.adopted_at = $now
SET
  r.group_key = $group_key,
  r.episodes = r.episodes + [id IN row.episodes WHERE NOT id IN r.episodes],
  r.valid_at = coalesce(row.valid_at, r.valid_at),
  r.invalid_at = coalesce(row.invalid_at, r.invalid_at),
  r.expired_at = coalesce(row.expired_at, r.expired_at)
SET r.edge_key = CASE WHEN r.expired_at IS NULL THEN r.edge_key END
FOREACH (key IN keys(row.attributes) | SET r[key] = row.attributes[key])
WITH r, toFloatList(row.embedding) AS vector
CALL (r, vector) {
  WITH r, vector WHERE vector IS NOT NULL
  SET r.embedding_model = $model
  WITH r, vector
  CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', vector)
}
RETURN r.uuid AS relation_id
