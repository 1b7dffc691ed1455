// Neighbourhood: two relations around a memory; `:param memory_id => '...'` first
MATCH (m:Memory {uuid: $memory_id, group_id: $group})
MATCH path = (m)-[:RELATES_TO*0..2]-()
WHERE all(n IN nodes(path) WHERE n:Memory AND n.group_id = $group)
RETURN path LIMIT 200
