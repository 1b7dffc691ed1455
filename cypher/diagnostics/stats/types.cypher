// Count the memories of a group by type, except deleted ones, most frequent first.
//
// access  read
// param   group_id : STRING — the tenant
// returns name  : STRING
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
RETURN coalesce(toStringOrNull(m.memory_type), 'general') AS name, count(*) AS count
ORDER BY count DESC, name
