// Release a preserved memory; other protections stay.
//
// access  write
// param   group_id  : STRING — the tenant
// param   memory_id : STRING
// returns memory_id : STRING
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
SET m.tags = [tag IN m.tags WHERE toLower(tag) <> 'preserved'], m.preserve_until = null
WITH m
// include decay/store_score
RETURN m.uuid AS memory_id
