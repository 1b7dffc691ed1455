// Count the memories of a group by tag, except deleted ones, most frequent first.
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
