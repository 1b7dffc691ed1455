// List the current relations of a group between current memories, up to a limit.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER
// returns from_id       : STRING
// returns to_id         : STRING
// returns relation_type : STRING
// returns strength      : FLOAT — 0..1
// returns via           : STRING? — null: no entity
MATCH (m:Memory {group_id: $group_id})
WHERE
// include fragments/time/memory_holds
WITH m AS a
MATCH (a)-[r:RELATES_TO]->(m:Memory)
WHERE
// include fragments/memory/in_group
AND
// include fragments/time/relation_holds
AND
// include fragments/time/memory_holds
RETURN a.uuid AS from_id, m.uuid AS to_id, coalesce(r.name, 'relates_to') AS relation_type,
       // include fragments/relation/strength
       AS strength, null AS via
LIMIT $limit
