// List the adopted memories of a group whose summary has changed since, in the order of ids.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id    : STRING
// returns name         : STRING
// returns summary      : STRING
// returns content      : ANY — a text, or a list of one compressed text
// returns content_hash : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE
// include fragments/memory/summary_changed
AND m.uuid > $after_id
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m.name AS name, m.summary AS summary,
  // include fragments/memory/content
  AS content, m.content_hash AS content_hash
ORDER BY memory_id
