// Remember which id a group had before.
//
// access  write
// param   id  : STRING — the group's
// param   was : STRING
MERGE (before:GroupBefore {group_id: $id})
SET before.was = $was
