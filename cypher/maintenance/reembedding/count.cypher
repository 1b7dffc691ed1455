// Count the memories of a group that are to be embedded; deleted ones count, as they may return.
//
// access  read
// param   group_id : STRING — the tenant
// returns candidates : INTEGER
MATCH (m:Memory {group_id: $group_id})
// include maintenance/reembedding/stale
RETURN count(m) AS candidates
