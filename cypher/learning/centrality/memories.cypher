// Stream the memories of a group with the relations that hold now, for centrality.
//
// access  stream
// param   group_id : STRING — the tenant
// param   now      : STRING — ISO 8601, UTC
// returns memory_id    : STRING
// returns access_count : INTEGER
// returns centrality   : FLOAT? [1] — as stored
// returns counts       : BOOLEAN — whether the memory takes part
// returns in_canary    : BOOLEAN — whether the run may change it
// returns relations    : LIST<LIST> — id of the end, type and strength
MATCH (m:Memory {group_id: $group_id})
WITH m, m.soft_deleted_at IS NULL AND coalesce(m.lifecycle_state <> 'EXPIRED', false)
  AND (m.invalid_at IS NULL OR m.invalid_at > $now) AS counts
RETURN m.uuid AS memory_id, coalesce(toIntegerOrNull(m.access_count), 0) AS access_count,
       toFloatOrNull(m.centrality) AS centrality, counts,
       // include fragments/maintenance/in_canary
       AS in_canary,
       CASE WHEN counts THEN COLLECT {
         MATCH (m)-[r:RELATES_TO]->(other:Memory {group_id: $group_id})
         WHERE r.invalid_at > datetime($now) OR r.invalid_at IS NULL AND r.expired_at IS NULL
         RETURN [other.uuid, r.name, coalesce(toFloatOrNull(r.strength), 0.5)]
       } ELSE [] END AS relations
