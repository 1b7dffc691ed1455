// Choose the clusters of a group, and count the memories of each.
//
// Deleted memories do not count. The most central memory has the label.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   cluster_id : STRING? — only this cluster
MATCH (m:Memory {group_id: $group_id})
WHERE m.cluster_id IS NOT NULL AND m.soft_deleted_at IS NULL
  AND ($cluster_id IS NULL OR m.cluster_id = $cluster_id)
WITH toString(m.cluster_id) AS cluster_id, count(*) AS size,
     head(collect(CASE WHEN m.cluster_label IS NOT NULL THEN m END)) AS central,
     count(CASE m.lifecycle_state WHEN 'ACTIVE' THEN 1 END) AS active,
     count(CASE m.lifecycle_state WHEN 'DORMANT' THEN 1 END) AS dormant,
     count(CASE m.lifecycle_state WHEN 'ARCHIVED' THEN 1 END) AS archived,
     count(CASE m.lifecycle_state WHEN 'EXPIRED' THEN 1 END) AS expired,
     min(m.created_at) AS oldest, max(m.created_at) AS newest
