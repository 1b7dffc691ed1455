// List the memories of a group, newest first.
//
// access  read
// param   group_id         : STRING — the tenant
// param   states           : LIST<STRING> — lifecycle states to return
// param   after_created_at : STRING? — that of the last memory before the page, ISO 8601, UTC
// param   after_id         : STRING? — id of the same memory
// param   limit            : INTEGER
// returns memory     : MAP?
// returns created_at : STRING? — in the stored precision, for the cursor of the next page
// variant sound
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states
WITH m
// include fragments/memory/filter
WITH m WHERE $after_id IS NULL
  OR m.created_at < datetime($after_created_at)
  OR m.created_at = datetime($after_created_at) AND m.uuid > $after_id
WITH m ORDER BY m.created_at DESC, m.uuid LIMIT $limit
// include fragments/memory/listed
RETURN memory, toStringOrNull(m.created_at) AS created_at
ORDER BY m.created_at DESC, m.uuid
