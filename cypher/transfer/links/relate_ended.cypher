// Create missing relations that have ended, with their times.
//
// They have no key, because a current relation of their type may exist. The time of their end
// decides whether they exist.
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
WITH row, a, b, EXISTS {
  MATCH (a)-[same:RELATES_TO]->(b)
  WHERE same.name = row.relation_type AND same.expired_at = datetime(row.expired_at)
} AS there
CALL (row, a, b, there) {
  WITH row, a, b WHERE NOT there
  CREATE (a)-[:RELATES_TO {
    uuid: row.relation_id, group_id: $group_id, group_key: a.group_key, name: row.relation_type,
    original_relation_type: row.original_relation_type, episodes: [], strength: row.strength,
    created_at: datetime(coalesce(row.created_at, $now)),
    valid_at: datetime(coalesce(row.valid_at, row.created_at, $now)),
    invalid_at: datetime(row.invalid_at), expired_at: datetime(row.expired_at),
    fact: coalesce(row.fact,
      a.name + ' ' + coalesce(row.original_relation_type, row.relation_type) + ' ' + b.name),
    metadata_json: row.metadata_json, origin_authority: $origin.authority,
    origin_way_in: $origin.way_in, origin_caller: $origin.caller, origin_id: $origin.origin_id
  }]->(b)
}
RETURN row.position AS position, NOT there AS created
