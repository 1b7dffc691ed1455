// Count the memories of a group in a range of ids that are to be embedded.
//
// Deleted ones count, as they may return.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns candidates : INTEGER
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE $after_id < m.uuid <= $last_id
WITH m
// include maintenance/reembedding/stale
RETURN count(m) AS candidates
