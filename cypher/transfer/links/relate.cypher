// Create missing relations with their times; existing relations stay as they are.
//
// access  write
// param   group_id : STRING — the tenant
// param   links    : LIST<MAP> — position and the properties below; sorted by the ids
// param   origin   : MAP — way_in, caller, authority, above and origin_id
// param   now      : STRING — default of the times, ISO 8601, UTC
// returns position : INTEGER — position of each link with existing ends
// returns created  : BOOLEAN
UNWIND $links AS row
MATCH (a:Memory {uuid: row.from_id, group_id: $group_id})
MATCH (b:Memory {uuid: row.to_id, group_id: $group_id})
WHERE a.soft_deleted_at IS NULL AND b.soft_deleted_at IS NULL
MERGE (a)-[r:RELATES_TO {edge_key: row.edge_key}]->(b)
ON CREATE SET
  r.uuid = row.relation_id,
  r.group_id = $group_id,
  r.group_key = a.group_key,
  r.name = row.relation_type,
  r.original_relation_type = row.original_relation_type,
  r.episodes = [],
  r.created_at = datetime(coalesce(row.created_at, $now)),
  r.valid_at = datetime(coalesce(row.valid_at, row.created_at, $now)),
  r.invalid_at = datetime(row.invalid_at),
  r.origin_authority = $origin.authority,
  r.origin_way_in = $origin.way_in,
  r.origin_caller = $origin.caller,
  r.origin_id = $origin.origin_id,
  r.strength = row.strength,
  r.fact = coalesce(row.fact,
    a.name + ' ' + coalesce(row.original_relation_type, row.relation_type) + ' ' + b.name),
  r.metadata_json = row.metadata_json
RETURN row.position AS position, r.uuid = row.relation_id AS created
