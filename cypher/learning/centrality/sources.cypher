// List the relations through which a memory may get its centrality, with what decides how much.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// param   now       : STRING — ISO 8601, UTC
// returns from_id    : STRING — the memory that gives
// returns name       : STRING — type of the relation
// returns outgoing   : BOOLEAN — whether the relation leads from the explained memory
// returns strength   : FLOAT [1]
// returns centrality : FLOAT [1] — of the memory that gives
// returns given      : LIST<LIST> — type, strength and direction of all its relations
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
MATCH (m)-[r:RELATES_TO]-(other:Memory)
WHERE coalesce(other.group_id = $group_id, false)
  AND (r.invalid_at > datetime($now) OR r.invalid_at IS NULL AND r.expired_at IS NULL)
  AND other.centrality > 0 AND m.centrality > 0
WITH other, r.name AS name, startNode(r) = m AS outgoing,
     // include fragments/relation/strength
     AS strength
RETURN other.uuid AS from_id, name, outgoing, strength, other.centrality AS centrality,
       COLLECT {
         MATCH (other)-[r:RELATES_TO]-(end:Memory)
         WHERE coalesce(end.group_id = $group_id, false) AND end.centrality IS NOT NULL
           AND (r.invalid_at > datetime($now) OR r.invalid_at IS NULL AND r.expired_at IS NULL)
         RETURN [r.name,
           // include fragments/relation/strength
           , startNode(r) = other]
       } AS given
