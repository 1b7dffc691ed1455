// List the memories of a group by their ids of Neo4j, in lists of equal length.
//
// A row of one id would cost more than a check of its memory. Neo4j holds 30 bytes for each memory.
//
// access  stream
// param   group_id : STRING — the tenant
// param   length   : INTEGER — of a list; the last one may be shorter
// returns ids : LIST<STRING>
MATCH (m:Memory {group_id: $group_id})
WITH collect(m) AS memories
UNWIND range(0, size(memories) - 1, $length) AS start
RETURN [m IN memories[start..start + $length] | elementId(m)] AS ids
