// List the current relations among given memories, up to a limit.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// param   limit      : INTEGER
// returns from_id       : STRING
// returns to_id         : STRING
// returns relation_type : STRING
// returns strength      : FLOAT — 0..1
// returns via           : STRING? — null: no entity
UNWIND $memory_ids AS from_id
MATCH (a:Memory {uuid: from_id, group_id: $group_id})
MATCH (a)-[r:RELATES_TO]->(m:Memory)
WHERE m.uuid IN $memory_ids
AND
// include fragments/memory/in_group
AND
// include fragments/time/relation_holds
RETURN from_id, m.uuid AS to_id, coalesce(r.name, 'relates_to') AS relation_type,
       // include fragments/relation/strength
       AS strength, null AS via
LIMIT $limit
