// Delete writes that were accepted.
//
// access  write
// param   group_id    : STRING — the tenant
// param   pending_ids : LIST<STRING>
MATCH (p:PendingWrite {group_id: $group_id})
WHERE p.uuid IN $pending_ids
DELETE p
