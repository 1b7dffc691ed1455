// Protected: what does not fade now, and why
MATCH (m:Memory {group_id: $group})
// include decay/protection
WITH m, protection WHERE protection IS NOT NULL
RETURN m.name AS memory, protection, m.preserve_until AS until, m.tags AS tags,
       m.importance AS importance, m.stability AS stability, m.uuid AS memory_id
ORDER BY until DESC, importance DESC LIMIT 100
