// List the clusters of a group whose ids begin with a text.
//
// access  read
// param   group_id : STRING — the tenant
// param   start    : STRING — the beginning of an id
// param   limit    : INTEGER
// returns cluster_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.cluster_id STARTS WITH $start AND m.soft_deleted_at IS NULL
WITH DISTINCT toString(m.cluster_id) AS cluster_id ORDER BY cluster_id LIMIT $limit
RETURN cluster_id
ORDER BY cluster_id
