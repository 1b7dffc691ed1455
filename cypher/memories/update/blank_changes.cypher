// Take out of what runs have changed in a group what tells of its memories, which were erased.
//
// access  batch
// param   group_id : STRING — the tenant
MATCH (change:MaintenanceChange {group_id: $group_id})
CALL (change) {
  // include fragments/change/erase
} IN TRANSACTIONS OF 2000 ROWS
