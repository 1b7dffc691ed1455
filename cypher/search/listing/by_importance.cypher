// List the memories of a group, most important first.
//
// access  read
// param   group_id         : STRING — the tenant
// param   states           : LIST<STRING> — lifecycle states to return
// param   after_importance : FLOAT? [1..10] — importance of the last memory before the page
// param   after_created_at : STRING? — `created_at` of the same memory, ISO 8601, UTC
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
  OR m.importance < $after_importance
  OR m.importance = $after_importance AND (
    m.created_at < datetime($after_created_at)
    OR m.created_at = datetime($after_created_at) AND m.uuid > $after_id)
WITH m ORDER BY m.importance DESC, m.created_at DESC, m.uuid LIMIT $limit
// include fragments/memory/listed
RETURN memory, toStringOrNull(m.created_at) AS created_at
ORDER BY m.importance DESC, m.created_at DESC, m.uuid
