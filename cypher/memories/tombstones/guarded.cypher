// Return whether the group has tombstones, and the stored keys of their hashes.
//
// access  read
// param   group_id : STRING — the tenant
// returns guarded : BOOLEAN
// returns secrets : LIST<STRING> — hexadecimal
WITH $group_id AS group_id
// include memories/tombstones/guard
RETURN guarded, secrets
