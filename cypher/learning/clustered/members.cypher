// List the memories of a cluster, the newest first.
//
// access  read
// param   group_id   : STRING — the tenant
// param   cluster_id : STRING
// param   limit      : INTEGER — memories at most
// returns memory_id  : STRING
// returns lead       : STRING — title of the memory
// returns state      : STRING
// returns created_at : ZONED DATETIME
MATCH (m:Memory {group_id: $group_id})
WHERE m.cluster_id = $cluster_id AND m.soft_deleted_at IS NULL
WITH m ORDER BY m.created_at DESC, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, left(coalesce(toStringOrNull(m.name), ''), 80) AS lead,
       m.lifecycle_state AS state, m.created_at AS created_at
ORDER BY created_at DESC, memory_id
