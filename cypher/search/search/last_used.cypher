// Find the memory of any group that was used last, or any memory if none was used.
//
// access  read
// returns group_id : STRING
// returns lead     : STRING — first 200 characters of its content
CALL () {
  MATCH (m:Memory)
  WHERE m.last_accessed_at IS NOT NULL
  RETURN m ORDER BY m.last_accessed_at DESC LIMIT 1
UNION ALL
  MATCH (m:Memory)
  RETURN m LIMIT 1
}
RETURN m.group_id AS group_id, left(coalesce(m.content, m.name, ''), 200) AS lead
LIMIT 1
