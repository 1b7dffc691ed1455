// List the tombstones of a group, the latest first.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER
// returns tombstone_id : STRING
// returns group_id     : STRING
// returns reason       : STRING — rejected or erased
// returns note         : STRING?
// returns created_at   : STRING — ISO 8601, UTC
// returns by           : STRING — tool or command
// returns memory_id    : STRING? — of the rejected memory
MATCH (t:Tombstone {group_id: $group_id})
RETURN t.uuid AS tombstone_id, t.group_id AS group_id, t.reason AS reason, t.note AS note,
       t.created_at AS created_at, t.by AS by, t.memory_id AS memory_id
ORDER BY created_at DESC, tombstone_id
LIMIT $limit
