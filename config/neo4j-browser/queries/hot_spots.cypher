// Hot spots: what is used most, with what it is related to
MATCH (m:Memory {group_id: $group})
WHERE m.access_count > 0
WITH m ORDER BY m.access_count DESC, m.last_accessed_at DESC LIMIT 15
OPTIONAL MATCH (m)-[r:RELATES_TO]-(other:Memory)
RETURN m, r, other
