// Count the active relations from memories of a group in a range of ids by type.
//
// The caller divides `strengths` by `count`, over all ranges.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns name      : STRING
// returns count     : INTEGER
// returns strengths : FLOAT — the sum of their strengths, each 0..1
MATCH (a:Memory {group_id: $group_id})
USING INDEX a:Memory(group_id, uuid)
WHERE $after_id < a.uuid <= $last_id AND a.soft_deleted_at IS NULL
MATCH (a)-[r:RELATES_TO]->(b:Memory)
WHERE coalesce(b.group_id = $group_id, false) AND b.soft_deleted_at IS NULL
AND (
// include fragments/time/relation_holds
)
RETURN r.name AS name, count(*) AS count,
       sum(
         // include fragments/relation/strength
       ) AS strengths
