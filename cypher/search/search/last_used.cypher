// Find the memory that was used last, whosever it is; where none was, any.
//
// access  read
// returns group_id : STRING
// returns lead     : STRING — how its content begins
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
