// List the given ids that exist, and whether their memories are visible to this group.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns in_group  : BOOLEAN
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids
RETURN m.uuid AS memory_id,
       m.group_id = $group_id AND m.soft_deleted_at IS NULL AS in_group
