// Delete the tombstones of a group.
//
// access  batch
// param   group_id : STRING — the tenant
MATCH (t:Tombstone {group_id: $group_id})
CALL (t) {
  DELETE t
} IN TRANSACTIONS OF 2000 ROWS
