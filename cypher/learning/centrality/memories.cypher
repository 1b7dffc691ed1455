// Stream the memories of a group with the relations that hold now, for centrality.
//
// access  stream
// param   group_id : STRING — the tenant
// returns memory_id    : STRING
// returns access_count : INTEGER
// returns centrality   : FLOAT? [1] — as stored
// returns counts       : BOOLEAN — whether the memory takes part
// returns in_canary    : BOOLEAN — whether the run may change it
// returns relations    : LIST<LIST> — id of the end, type and strength
MATCH (m:Memory {group_id: $group_id})
WITH m,
  // include fragments/memory/counts
  AS counts
RETURN m.uuid AS memory_id, coalesce(toIntegerOrNull(m.access_count), 0) AS access_count,
       toFloatOrNull(m.centrality) AS centrality, counts,
       // include fragments/maintenance/in_canary
       AS in_canary,
       CASE WHEN counts THEN
         // include fragments/relation/held_from
       ELSE [] END AS relations
