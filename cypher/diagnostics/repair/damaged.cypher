// List the memories of a group that lack properties, because another writer has erased them.
//
// A memory is also listed if it holds an instant that is not text, as an earlier version stored it.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING
// param   limit    : INTEGER
// returns memory_id : STRING
// returns name      : STRING
// returns summary   : STRING?
// returns labels    : LIST<STRING>
// returns missing   : LIST<STRING> — names of properties to set or to convert to text
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id AND m.name IS NOT NULL AND m.created_at IS :: ZONED DATETIME NOT NULL
WITH m, [key IN [
  'lifecycle_state', 'importance', 'stability', 'decay_score', 'access_count', 'memory_type',
  'source', 'tags', 'metadata_json', 'group_key', 'content_hash', 'last_decay_update'
] WHERE m[key] IS NULL] +
  [key IN ['valid_at', 'invalid_at'] WHERE NOT m[key] IS :: STRING] +
  CASE WHEN m.content IS NULL AND m.content_gz IS NULL THEN ['content'] ELSE [] END +
  CASE WHEN m.dedup_key IS NULL AND m.soft_deleted_at IS NULL THEN ['dedup_key'] ELSE [] END
  AS missing
WHERE size(missing) > 0
WITH m, missing ORDER BY m.group_id, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m.name AS name, m.summary AS summary, labels(m) AS labels, missing
ORDER BY memory_id
