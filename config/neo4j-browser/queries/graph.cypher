// Graph: the memories used last and what they are related to, without helper nodes
MATCH (m:Memory {group_id: $group})
WHERE m.soft_deleted_at IS NULL
WITH m ORDER BY m.last_accessed_at DESC LIMIT 100
OPTIONAL MATCH (m)-[r:RELATES_TO|HAS_PARENT]-(other:Entity)
WHERE other.soft_deleted_at IS NULL
RETURN m, r, other LIMIT 500
