// List the memories of a group, most important first.
//
// The first part is as important as the last memory before the page, and older. The second part is
// less important. Both orders start with the group so that the index provides them, and only the
// page is read.
//
// access  read
// param   group_id         : STRING — the tenant
// param   states           : LIST<STRING> — lifecycle states to return
// param   after_importance : FLOAT — importance of the last memory before the page
// param   after_created_at : STRING — `created_at` of the same memory, ISO 8601, UTC
// param   after_id         : STRING — id of the same memory
// param   limit            : INTEGER
// returns memory   : MAP? — null if another client has damaged it
// returns position : MAP — the values of the order, as precise as they are stored
// variant sound
CALL () {
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, importance, created_at)
  WHERE m.importance = $after_importance AND m.created_at <= datetime($after_created_at)
  WITH m ORDER BY m.group_id DESC, m.importance DESC, m.created_at DESC
  // include fragments/memory/filter
  WITH m WHERE m.lifecycle_state IN $states
    AND (m.created_at < datetime($after_created_at) OR m.uuid > $after_id)
  RETURN m ORDER BY m.group_id DESC, m.importance DESC, m.created_at DESC, m.uuid LIMIT $limit
  UNION ALL
  MATCH (m:Memory {group_id: $group_id})
  USING INDEX m:Memory(group_id, importance, created_at)
  WHERE m.importance < $after_importance AND m.created_at IS NOT NULL
  WITH m ORDER BY m.group_id DESC, m.importance DESC, m.created_at DESC
  // include fragments/memory/filter
  WITH m WHERE m.lifecycle_state IN $states AND m.created_at IS :: ZONED DATETIME NOT NULL
  RETURN m ORDER BY m.group_id DESC, m.importance DESC, m.created_at DESC, m.uuid LIMIT $limit
}
WITH m ORDER BY m.importance DESC, m.created_at DESC, m.uuid LIMIT $limit
// include fragments/memory/listed
RETURN memory, {
  importance: m.importance, created_at: toString(m.created_at), id: toStringOrNull(m.uuid)
} AS position
ORDER BY m.importance DESC, m.created_at DESC, m.uuid
