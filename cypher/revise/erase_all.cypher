// Remove every memory of a group for good, with its relations and versions, purged ones as well.
//
// access  batch
// param   group_id : STRING — the tenant
// returns deleted : INTEGER — purged ones, which nobody sees, not among them
CALL () {
  MATCH (n:Memory {group_id: $group_id})
  RETURN n, 1 AS counts
UNION ALL
  MATCH (n:PurgedMemory {group_id: $group_id})
  RETURN n, 0 AS counts
UNION ALL
  MATCH (n:Conversation)
  WHERE n.conversation_key STARTS WITH $group_id + '|'
  RETURN n, 0 AS counts
}
CALL (n) {
  OPTIONAL MATCH (n)-[:HAS_VERSION|HAS_WORDS]->(part:MemoryVersion|WordVectors)
  OPTIONAL MATCH (was:EntityBefore {uuid: n.uuid})
  DETACH DELETE part, was, n
} IN TRANSACTIONS OF 500 ROWS
RETURN sum(counts) AS deleted
