// List the memories that hold given contents or ids.
//
// Ids are looked up in every group, because an id is unique in the whole database.
//
// access  read
// param   group_id   : STRING — the tenant
// param   dedup_keys : LIST<STRING> — group|sha256 of the content
// param   memory_ids : LIST<STRING>
// returns memory_id  : STRING
// returns dedup_key  : STRING
// returns in_group   : BOOLEAN
// returns state      : STRING?
// returns invalid_at : STRING? — ISO 8601, UTC
MATCH (m:Memory)
WHERE m.dedup_key IN $dedup_keys OR m.uuid IN $memory_ids
RETURN m.uuid AS memory_id, m.dedup_key AS dedup_key,
       m.group_id = $group_id AND m.soft_deleted_at IS NULL AS in_group,
       m.lifecycle_state AS state, m.invalid_at AS invalid_at
