// List memories of a group with their contents, deleted ones included, in the order of ids.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
// returns content   : STRING | LIST<STRING> — plain, or a list of one compressed text
// returns authority : STRING?
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid > $after_id
WITH m ORDER BY m.uuid LIMIT $limit
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content, m.origin_authority AS authority
ORDER BY memory_id
