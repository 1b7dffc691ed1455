// Record the previous id of a group.
//
// access  write
// param   id  : STRING — id of the group
// param   was : STRING
MERGE (before:GroupBefore {group_id: $id})
SET before.was = $was
