// Take the memories of a cluster on which an action acts, each with the values before it.
//
// Each memory is locked before it is checked again.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   cluster_id : STRING
// param   memory_ids : LIST<STRING> — sorted
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.cluster_id = $cluster_id
WITH m,
  // include learning/acting/refused
  AS refused
WHERE refused IS NULL
WITH m, m {.*, embedding: null, content: null} AS earlier
