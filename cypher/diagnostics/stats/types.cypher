// Count the memories of a group in a range of ids by type, except deleted ones.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — the range begins after it
// param   last_id  : STRING — the last of the range
// returns name  : STRING
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE $after_id < m.uuid <= $last_id AND m.soft_deleted_at IS NULL
RETURN coalesce(toStringOrNull(m.memory_type), 'general') AS name, count(*) AS count
