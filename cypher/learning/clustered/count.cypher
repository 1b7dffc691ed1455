// Count the clusters of a group.
//
// access  read
// param   group_id : STRING — the tenant
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.cluster_id IS NOT NULL AND m.soft_deleted_at IS NULL
RETURN count(DISTINCT m.cluster_id) AS count
