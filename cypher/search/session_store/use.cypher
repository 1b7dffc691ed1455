// Note that sessions used memories, if they had received them before.
//
// The latest lesson that has the memory notes it, too.
//
// access  write
// param   uses : LIST<MAP> — group_id, session_id, memory_id and now; in the order of sessions
// param   most : INTEGER — used memories that a session notes, the first
UNWIND $uses AS use
CALL (use) {
  MATCH (s:Session {session_id: use.group_id + '|' + use.session_id})
  SET s.updated_at = s.updated_at  // takes the lock
  WITH s, use.memory_id AS id
  WHERE id IN s.loaded_ids OR id IN coalesce(s.recent_ids, [])
  WITH s, id, id IN coalesce(s.used_ids, []) AS known
  WHERE known OR size(coalesce(s.used_ids, [])) < $most
  SET
    s.used_at = CASE
      WHEN known THEN [i IN range(0, size(s.used_ids) - 1) |
        CASE WHEN s.used_ids[i] = id THEN use.now ELSE s.used_at[i] END]
      ELSE coalesce(s.used_at, []) + use.now
    END,
    s.used_ids = CASE WHEN known THEN s.used_ids ELSE coalesce(s.used_ids, []) + id END
  WITH s, id
  MATCH (s)-[:HAS_LESSON]->(l:Lesson)
  WHERE id IN l.memory_ids
  WITH l, id ORDER BY l.at DESC LIMIT 1
  SET l.useful_ids = CASE WHEN id IN l.useful_ids THEN l.useful_ids ELSE l.useful_ids + id END
}
