// List the memories of a group, newest first.
//
// access  read
// param   group_id         : STRING — the tenant
// param   states           : LIST<STRING> — lifecycle states to return
// param   after_created_at : STRING — that of the last memory before the page, ISO 8601, UTC
// param   after_id         : STRING — id of the same memory
// param   date_from        : STRING? — earliest creation, ISO 8601, UTC
// param   limit            : INTEGER
// returns memory   : MAP? — null if another client has damaged it
// returns position : MAP — the values of the order, as precise as they are stored
// variant sound
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, created_at)
WHERE m.created_at <= datetime($after_created_at)
  AND m.created_at >= datetime(coalesce($date_from, '0000-01-01T00:00:00Z'))
// The order starts with the group so that the index provides it, and only the page is read.
WITH m ORDER BY m.group_id DESC, m.created_at DESC
// include fragments/memory/filter
WITH m WHERE m.lifecycle_state IN $states
  AND (m.created_at < datetime($after_created_at) OR m.uuid > $after_id)
WITH m ORDER BY m.group_id DESC, m.created_at DESC, m.uuid LIMIT $limit
// include fragments/memory/listed
RETURN memory, {created_at: toString(m.created_at), id: toStringOrNull(m.uuid)} AS position
ORDER BY m.created_at DESC, m.uuid
