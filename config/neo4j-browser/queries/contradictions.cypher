// Contradictions: pairs that are not resolved
MATCH (a:Memory {group_id: $group})-[r:RELATES_TO {name: 'contradicts'}]->(b:Memory)
WHERE r.invalid_at IS NULL AND r.expired_at IS NULL
  AND a.invalid_at IS NULL AND b.invalid_at IS NULL
RETURN a, r, b LIMIT 50
