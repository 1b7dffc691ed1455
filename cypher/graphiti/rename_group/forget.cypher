// Forget which id a group had before.
//
// access  write
// param   id : STRING — the group's
MATCH (before:GroupBefore {group_id: $id})
DELETE before
