// Remove the texts of erased memories from the changes that runs recorded in a group.
//
// access  batch
// param   group_id : STRING — the tenant
MATCH (change:MaintenanceChange {group_id: $group_id})
CALL (change) {
  // include fragments/change/erase
} IN TRANSACTIONS OF 2000 ROWS
