// List the given ids that exist, with the group and the contents of their memories.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns in_group  : BOOLEAN — whether this group holds the memory, not deleted
// returns hashes    : LIST<STRING> — SHA-256 of the content, and of earlier ones
MATCH (m:Memory)
WHERE m.uuid IN $memory_ids
RETURN m.uuid AS memory_id,
       m.group_id = $group_id AND m.soft_deleted_at IS NULL AS in_group,
       [m.content_hash] + COLLECT {
         MATCH (m)-[:HAS_VERSION]->(earlier:MemoryVersion) RETURN earlier.content_hash
       } AS hashes
