// Count the current relations from and to a memory.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns in_degree  : INTEGER
// returns out_degree : INTEGER
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
WHERE
// include fragments/time/memory_holds
WITH m AS a
RETURN COUNT {
  MATCH (a)<-[r:RELATES_TO]-(m:Memory)
  WHERE
// include fragments/memory/in_group
  AND
// include fragments/time/relation_holds
  AND
// include fragments/time/memory_holds
} AS in_degree, COUNT {
  MATCH (a)-[r:RELATES_TO]->(m:Memory)
  WHERE
// include fragments/memory/in_group
  AND
// include fragments/time/relation_holds
  AND
// include fragments/time/memory_holds
} AS out_degree
