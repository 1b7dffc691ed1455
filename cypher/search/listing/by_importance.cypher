// List memories, the most important first.
//
// access  read
// param   group_id         : STRING — the tenant
// param   states           : LIST<STRING> — lifecycle states to serve
// param   after_importance : FLOAT? [1..10] — of the last memory of the page before
// param   after_created_at : STRING? — of the same, ISO 8601, UTC
// param   after_id         : STRING? — of the same
// param   limit            : INTEGER
// returns memory     : MAP
// returns created_at : STRING — as precise as it is stored, for the next page
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
// include fragments/memory/full
RETURN memory, toString(m.created_at) AS created_at
ORDER BY m.importance DESC, m.created_at DESC, m.uuid
