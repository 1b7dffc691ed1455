// Return whether the group has tombstones, the stored keys of their hashes, and its slots.
//
// access  read
// param   group_id : STRING — the tenant
// returns guarded : BOOLEAN
// returns secrets : LIST<STRING> — hexadecimal
// returns slots   : LIST<STRING> — single-valued slots that the group declares
WITH $group_id AS group_id
// include memories/tombstones/guard
RETURN guarded, secrets, slots
