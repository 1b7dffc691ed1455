// Take hashes of values of slots off the tombstones of a group, and return the changed ones.
//
// access  write
// param   group_id : STRING — the tenant
// param   marks    : LIST<STRING>
// returns tombstone_id : STRING
MATCH (t:Tombstone {group_id: $group_id})
WHERE any(mark IN t.slots WHERE mark IN $marks)
SET t.slots = [mark IN t.slots WHERE NOT mark IN $marks]
RETURN t.uuid AS tombstone_id
