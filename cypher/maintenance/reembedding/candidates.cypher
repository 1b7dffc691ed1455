// List the memories of a group that are to be embedded, the oldest first.
//
// access  read
// param   group_id         : STRING — the tenant
// param   after_created_at : STRING — of the last memory of the batch before, ISO 8601, UTC
// param   after_id         : STRING — of the same; empty for the first
// param   limit            : INTEGER
// returns memory_id  : STRING
// returns content    : ANY — a text, or a list of one compressed text
// returns content_hash : STRING?
// returns created_at : STRING — as precise as it is stored, for the next batch
// returns embedded   : BOOLEAN — true if at most the passages are missing
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, created_at)
WHERE m.created_at >= datetime($after_created_at)
// The order starts with the group so that the index provides it, and only the batch is read.
WITH m ORDER BY m.group_id, m.created_at
WHERE m.created_at > datetime($after_created_at) OR m.uuid > $after_id
WITH m
// include maintenance/reembedding/stale
WITH m ORDER BY m.group_id, m.created_at, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content,
       m.content_hash AS content_hash, toString(m.created_at) AS created_at,
  // include maintenance/reembedding/embedded
  AS embedded
ORDER BY m.created_at, m.uuid
