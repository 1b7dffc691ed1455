// Let relations lose facts that were rejected or erased: the name of the relation replaces them.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING> — memories at which the relations begin
// param   facts      : LIST<STRING>
// returns cleared : INTEGER
MATCH (m:Memory)-[r:RELATES_TO]->(:Entity)
USING INDEX m:Memory(uuid)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND r.fact IN $facts
SET r.fact = r.name, r.fact_embedding = null
RETURN count(r) AS cleared
