// List the memories of a group that will be soft-deleted first.
//
// access  read
// param   group_id : STRING — the tenant
// param   until    : INTEGER — milliseconds since 1970
// param   limit    : INTEGER
// returns memory_id : STRING
// returns lead      : STRING
// returns state     : STRING
// returns lost_at   : STRING — the instant of its soft deletion, ISO 8601
// variant sound
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
// include decay/forecast/path
WITH m, lost_ms WHERE lost_ms <= $until
ORDER BY lost_ms, m.uuid
LIMIT $limit
RETURN m.uuid AS memory_id, left(coalesce(toStringOrNull(m.name), ''), 80) AS lead,
       m.lifecycle_state AS state,
       format(datetime({epochMillis: lost_ms}), "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") AS lost_at
