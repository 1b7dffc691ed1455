// Remove the record of a group's previous id.
//
// access  write
// param   id : STRING — id of the group
MATCH (before:GroupBefore {group_id: $id})
DELETE before
