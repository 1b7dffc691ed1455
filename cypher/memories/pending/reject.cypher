// Delete writes that were rejected, and leave tombstones of their statements.
//
// access  write
// param   group_id    : STRING — the tenant
// param   pending_ids : LIST<STRING>
// returns pending_id : STRING
MATCH (m:PendingWrite {group_id: $group_id})
WHERE m.uuid IN $pending_ids
// include memories/tombstones/leave
WITH m, m.uuid AS pending_id
DELETE m
RETURN pending_id
