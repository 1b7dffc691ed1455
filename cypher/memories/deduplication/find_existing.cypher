// Find the memories that hold given contents or ids, and the keys of the group's tombstones.
//
// Ids are looked up in every group, because an id is unique in the whole database.
//
// access  read
// param   group_id   : STRING — the tenant
// param   dedup_keys : LIST<STRING> — group|sha256 of the content
// param   memory_ids : LIST<STRING>
// returns existing : LIST<MAP> — memory_id, dedup_key, in_group, state, invalid_at
//                    (ISO 8601) and authority
// returns guarded  : BOOLEAN — whether the group has tombstones
// returns secrets  : LIST<STRING> — stored keys of their hashes, hexadecimal
// returns slots    : LIST<STRING> — single-valued slots of a group with tombstones
OPTIONAL MATCH (m:Memory)
WHERE m.dedup_key IN $dedup_keys OR m.uuid IN $memory_ids
WITH collect(CASE WHEN m IS NOT NULL THEN {
  memory_id: m.uuid,
  dedup_key: m.dedup_key,
  in_group: m.group_id = $group_id AND m.soft_deleted_at IS NULL,
  state: m.lifecycle_state,
  invalid_at: m.invalid_at,
  authority: m.origin_authority
} END) AS existing
// include memories/tombstones/guard
RETURN existing, guarded, secrets, slots
