// Find the memories or entities `a` and `b` that proposal `p` is about.
//
// access  fragment
// param   group_id : STRING — the tenant
MATCH (a:Entity|NamedEntity {group_id: $group_id})-[:HAS_PROPOSAL]->(p)
WHERE a.uuid = p.from_id
MATCH (b:Entity|NamedEntity {group_id: $group_id})-[:HAS_PROPOSAL]->(p)
WHERE b.uuid = p.to_id
WITH *
