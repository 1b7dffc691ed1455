// Make the relations that have ended, and are not there yet, with their times.
//
// They have no key, as there may be one of their type that holds; when they ended tells whether
// they are there.
//
// access  write
// param   group_id : STRING — the tenant
// param   links    : LIST<MAP> — position and the properties below; sorted by the ids
// param   now      : STRING — ISO 8601, UTC; the default of the times
// returns position : INTEGER — of each link whose ends are there
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
    metadata_json: row.metadata_json
  }]->(b)
}
RETURN row.position AS position, NOT there AS created
