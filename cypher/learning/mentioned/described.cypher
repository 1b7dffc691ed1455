// Describe the entities `one`: the number of their memories, and the newest ones.
//
// Deleted memories do not count.
//
// A memory that mentions several entities of `one` has the places of all.
//
// access  fragment
// param   places : INTEGER — memories of an entity at most
CALL (one) {
  UNWIND one AS x
  MATCH (m:Memory)-[r:HAS_MENTION]->(x)
  WHERE m.soft_deleted_at IS NULL
  // include learning/mentioned/places
  WITH m, mention ORDER BY m.created_at DESC, m.uuid
  RETURN count(*) AS memories, collect(mention)[..$places] AS mentions
}
