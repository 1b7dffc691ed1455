// Restore the strength, metadata and key of relations between memories of a group.
//
// A relation of graph-memory gets its key unless another relation has it; of several such relations
// the first gets it. A relation of Graphiti has none. Relations of one key begin at one memory, so
// each transaction treats all of them.
//
// access  batch
// param   group_id  : STRING — the tenant
// param   group_key : STRING — its term in the full-text index
// param   types     : LIST<STRING> — the relation types there are
// param   now       : STRING — ISO 8601, UTC
// param   batch     : INTEGER — memories in one transaction
// returns count : INTEGER
MATCH (a:Memory {group_id: $group_id})
CALL (a) {
  MATCH (a)-[r:RELATES_TO]->(b:Memory)
  WHERE coalesce(b.group_id = $group_id, false) AND (
    r.strength IS NULL OR r.metadata_json IS NULL OR r.group_key IS NULL
    OR r.edge_key IS NULL AND r.expired_at IS NULL AND r.adopted_at IS NULL)
  WITH r, a, b, a.uuid + '|' + r.name + '|' + b.uuid AS key
  SET r.strength = coalesce(r.strength, 0.5), r.metadata_json = coalesce(r.metadata_json, '{}'),
      r.group_key = $group_key
  WITH r, a, b, key, r.edge_key IS NULL AND r.expired_at IS NULL AND r.name IN $types
    AND size(coalesce(r.episodes, [])) = 0
    AND NOT EXISTS { MATCH (a)-[other:RELATES_TO]->(b) WHERE other.edge_key = key } AS ours
  WITH r, key, ours ORDER BY r.created_at, r.uuid
  WITH key, collect({r: r, ours: ours}) AS alike
  UNWIND range(0, size(alike) - 1) AS i
  WITH key, alike[i].r AS r, alike[i].ours AND NOT any(x IN alike[..i] WHERE x.ours) AS ours
  FOREACH (_ IN CASE WHEN ours THEN [1] ELSE [] END | SET r.edge_key = key)
  FOREACH (_ IN CASE WHEN r.edge_key IS NULL AND r.expired_at IS NULL THEN [1] ELSE [] END |
    SET r.adopted_at = coalesce(r.adopted_at, $now))
  RETURN count(r) AS mended
} IN TRANSACTIONS OF $batch ROWS
RETURN sum(mended) AS count
