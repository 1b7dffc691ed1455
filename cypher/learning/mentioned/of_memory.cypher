// List the entities that a memory mentions, with its places only.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns entity_id : STRING
// returns kind      : STRING
// returns name      : STRING
// returns aliases   : LIST<MAP> — entity_id, kind and name of those that are one with it
// returns memories  : INTEGER — memories that mention it
// returns mentions  : LIST<MAP> — memory_id, lead, text, starts and ends
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})-[r:HAS_MENTION]->(e)
// include learning/mentioned/one
WITH m, one, collect(r) AS found
CALL (m, found) {
  UNWIND found AS r
  // include learning/mentioned/places
  RETURN collect(mention) AS mentions
}
CALL (one) {
  UNWIND one AS x
  MATCH (other:Memory)-[:HAS_MENTION]->(x)
  WHERE other.soft_deleted_at IS NULL
  RETURN count(DISTINCT other) AS memories
}
// include learning/mentioned/returned
