// Create missing facts, under Graphiti's names and with their times.
//
// Two entities may have several facts of one name. A fact exists if its text and start of validity
// match. It keeps its id unless another fact has that id.
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
  WHERE same.name = row.name AND same.fact = row.fact
    AND coalesce(same.valid_at.epochMillis, 0) = coalesce(datetime(row.valid_at).epochMillis, 0)
} AS there, EXISTS { MATCH ()-[taken:RELATES_TO {uuid: row.fact_id}]->() } AS taken
CALL (row, a, b, there, taken) {
  WITH row, a, b, taken WHERE NOT there
  CREATE (a)-[r:RELATES_TO {
    uuid: CASE WHEN row.fact_id IS NULL OR taken THEN row.new_id ELSE row.fact_id END,
    group_id: $group_id, group_key: a.group_key, name: row.name, fact: row.fact,
    strength: row.strength, metadata_json: '{}', adopted_at: $now, episodes: [],
    created_at: datetime(coalesce(row.created_at, $now)), valid_at: datetime(row.valid_at),
    invalid_at: datetime(row.invalid_at), expired_at: datetime(row.expired_at),
    reference_time: datetime(row.reference_time), embedding_model: '',
    origin_authority: $origin.authority, origin_way_in: $origin.way_in,
    origin_caller: $origin.caller, origin_id: $origin.origin_id
  }]->(b)
  FOREACH (key IN keys(row.attributes) | SET r[key] = row.attributes[key])
}
RETURN row.position AS position, NOT there AS created
