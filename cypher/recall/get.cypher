// Fetch memories by id.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory : MAP
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids AND m.group_id = $group_id AND m.soft_deleted_at IS NULL
// include memories/view
RETURN memory
