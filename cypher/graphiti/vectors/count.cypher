// Count the names of entities, and the facts, of a group that need a vector.
//
// access  read
// param   group_id : STRING — the tenant
// returns stale : INTEGER
RETURN COUNT {
  MATCH (m:Memory {group_id: $group_id})
  WHERE
  // include graphiti/vectors/stale_name
} + COUNT {
  MATCH ()-[r:RELATES_TO {group_id: $group_id}]->()
  WHERE
  // include graphiti/vectors/stale_fact
} AS stale
