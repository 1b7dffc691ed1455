// Bind whether the group has tombstones, and the stored keys of their hashes if it has any.
//
// access  fragment
// param   group_id : STRING — the tenant
WITH *, EXISTS { MATCH (:Tombstone {group_id: $group_id}) } AS guarded
WITH *, CASE WHEN guarded THEN COLLECT {
  MATCH (c:Control)
  WHERE c.key STARTS WITH 'tombstone_key'
  RETURN c.secret
} ELSE [] END AS secrets
