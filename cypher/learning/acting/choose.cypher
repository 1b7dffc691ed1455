// List the memories of a cluster that are not deleted, and which of them an action leaves as it is.
//
// access  read
// param   group_id   : STRING — the tenant
// param   cluster_id : STRING
// returns memory_id : STRING
// returns refused   : STRING? — the reason; null if the action changes the memory
MATCH (m:Memory {group_id: $group_id})
WHERE m.cluster_id = $cluster_id AND m.soft_deleted_at IS NULL
RETURN m.uuid AS memory_id,
       // include learning/acting/refused
       AS refused
ORDER BY memory_id
