// Describe entity `e`: its memories that are not deleted, and the first of them, the newest first.
//
// access  fragment
// param   places : INTEGER — memories of an entity at most
CALL (e) {
  MATCH (m:Memory)-[r:HAS_MENTION]->(e)
  WHERE m.soft_deleted_at IS NULL
  WITH m, r ORDER BY m.created_at DESC, m.uuid
  RETURN count(*) AS memories, collect({
    memory_id: m.uuid, lead: left(coalesce(toStringOrNull(m.name), ''), 80),
    text: r.text, starts: r.starts, ends: r.ends
  })[..$places] AS mentions
}
