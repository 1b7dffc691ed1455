// Orphans: memories related to nothing
MATCH (m:Memory {group_id: $group})
WHERE NOT EXISTS { (m)-[:RELATES_TO]-(:Memory) } AND m.soft_deleted_at IS NULL
RETURN m LIMIT 100
