// Count the active relations of a group by type, with their mean strength, most frequent first.
//
// access  read
// param   group_id : STRING — the tenant
// returns name         : STRING
// returns count        : INTEGER
// returns avg_strength : FLOAT — 0..1
MATCH (a:Memory {group_id: $group_id})
WHERE a.soft_deleted_at IS NULL
MATCH (a)-[r:RELATES_TO]->(b:Memory)
WHERE coalesce(b.group_id = $group_id, false) AND b.soft_deleted_at IS NULL
AND (
// include fragments/time/relation_holds
)
RETURN r.name AS name, count(*) AS count,
       round(avg(
         // include fragments/relation/strength
       ), 4) AS avg_strength
ORDER BY count DESC, name
