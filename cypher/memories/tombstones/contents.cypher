// Return the contents of memories, deleted ones included.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// returns memory_id : STRING
// returns content   : STRING | LIST<STRING> — plain, or a list of one compressed text
MATCH (m:Memory {group_id: $group_id})
WHERE m.uuid IN $memory_ids
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content
