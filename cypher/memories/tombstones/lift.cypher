// Delete a tombstone, and describe it.
//
// access  write
// param   group_id     : STRING — the tenant
// param   tombstone_id : STRING
// returns tombstone_id : STRING
// returns group_id     : STRING
// returns reason       : STRING — rejected or erased
// returns note         : STRING?
// returns created_at   : STRING — ISO 8601, UTC
// returns by           : STRING — tool or command
// returns memory_id    : STRING? — of the rejected memory
MATCH (t:Tombstone {uuid: $tombstone_id, group_id: $group_id})
WITH t, t {.*} AS was
DELETE t
RETURN was.uuid AS tombstone_id, was.group_id AS group_id, was.reason AS reason, was.note AS note,
       was.created_at AS created_at, was.by AS by, was.memory_id AS memory_id
