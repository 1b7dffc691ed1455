// Count the memories of a group by tag, the most frequent first; deleted ones are left out.
//
// access  read
// param   group_id : STRING — the tenant
// param   limit    : INTEGER — tags to name
// returns name  : STRING
// returns count : INTEGER
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
UNWIND m.tags AS name
RETURN name, count(DISTINCT m) AS count
ORDER BY count DESC, name
LIMIT $limit
