// List the given memories that a relation can start or end at.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.soft_deleted_at IS NULL
RETURN m.uuid AS memory_id
