// List the memories of a source that are not deleted, and all that have one of them as an ancestor.
//
// A null selects all. The present text of a memory counts; `rewritten` memories have an earlier
// text from another caller.
//
// access  read
// param   group_id        : STRING — the tenant
// param   caller          : STRING? — name and id of a token, or the subject of a JWT
// param   token_id        : STRING? — id of a token
// param   origin_id       : STRING? — an import, a run or the job of an episode
// param   conversation_id : STRING?
// param   since           : STRING? — earliest instant of the text, ISO 8601, UTC
// returns memory_id : STRING
// returns derived   : BOOLEAN — whether it is chosen for its ancestor only
// returns rewritten : BOOLEAN
MATCH (m:Memory {group_id: $group_id})
WHERE m.soft_deleted_at IS NULL
  AND ($caller IS NULL OR m.origin_caller = $caller
    OR m.origin_caller ENDS WITH '/' + $token_id)
  AND ($origin_id IS NULL OR m.origin_id = $origin_id)
  AND ($conversation_id IS NULL OR m.conversation_id = $conversation_id)
  AND ($since IS NULL OR m.created_at >= datetime($since) OR EXISTS {
    MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
    WHERE version.expired_at >= datetime($since)
  })
WITH collect(m) AS sources
UNWIND sources AS source
CALL (source) {
  MATCH (m:Memory {group_id: $group_id})-[:HAS_PARENT*0..]->(source)
  WHERE m.soft_deleted_at IS NULL
  RETURN m
}
WITH DISTINCT m, m IN sources AS came
RETURN m.uuid AS memory_id, NOT came AS derived,
       EXISTS {
         MATCH (m)-[:HAS_VERSION]->(version:MemoryVersion)
         WHERE coalesce(version.origin_caller <> m.origin_caller, true)
       } AS rewritten
ORDER BY memory_id
