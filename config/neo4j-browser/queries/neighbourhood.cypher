// Neighbourhood: two relations around a memory; `:param memory_id => '...'` first
MATCH (m:Memory {uuid: $memory_id, group_id: $group})
MATCH path = (m)-[:RELATES_TO*0..2]-(:Memory {group_id: $group})
RETURN path LIMIT 200
