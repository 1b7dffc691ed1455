// Bind whether the group has tombstones; if it has, the keys of their hashes and its slots.
//
// access  fragment
// param   group_id : STRING — the tenant
WITH *, EXISTS { MATCH (:Tombstone {group_id: $group_id}) } AS guarded
WITH *, CASE WHEN guarded THEN COLLECT {
  MATCH (c:Control)
  WHERE c.key STARTS WITH 'tombstone_key'
  RETURN c.secret
} ELSE [] END AS secrets
WITH *, CASE WHEN guarded THEN head(COLLECT {
  MATCH (c:Control {key: 'settings|' + $group_id})
  RETURN c.single_valued_slots
}) END AS declared
WITH *, coalesce(declared, []) AS slots
