// Count the current memories of a group, and those without a current relation.
//
// access  read
// param   group_id : STRING — the tenant
// returns memories : INTEGER
// returns isolated : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE
// include fragments/time/memory_holds
WITH m AS a
RETURN count(a) AS memories, count(CASE WHEN NOT EXISTS {
  MATCH (a)-[r:RELATES_TO]-(m:Memory)
  WHERE
// include fragments/memory/in_group
  AND
// include fragments/time/relation_holds
  AND
// include fragments/time/memory_holds
} THEN 1 END) AS isolated
