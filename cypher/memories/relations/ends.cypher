// Tell which of some memories can be an end of a relation.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.soft_deleted_at IS NULL
RETURN m.uuid AS memory_id
