// Entities: what memories mention, aliases first
MATCH (e:NamedEntity|Entity {group_id: $group})
WHERE EXISTS { (e)<-[:HAS_MENTION]-(:Memory) }
WITH e, EXISTS { (e)-[:SAME_AS]-() } AS merged, COUNT { (e)<-[:HAS_MENTION]-() } AS mentions
ORDER BY merged DESC, mentions DESC LIMIT 20
OPTIONAL MATCH alias = (e)-[:SAME_AS]-()
OPTIONAL MATCH mention = (e)<-[:HAS_MENTION]-(m:Memory)
WHERE m.soft_deleted_at IS NULL
RETURN e, alias, mention LIMIT 200
