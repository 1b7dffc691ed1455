// Name on each new memory that an import copied the memory of which it is a copy.
//
// It follows the creation of all memories. Within the creation, Neo4j would hold back all rows with
// their vectors, and adding memories would take half as long again.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — with memory_id and copied_from
CALL () {
  UNWIND [row IN $memories WHERE row.copied_from IS NOT NULL] AS copy
  MATCH (m:Memory {uuid: copy.memory_id, group_id: $group_id})
  SET m.copied_from = copy.copied_from
}
