// List memories of a group with their contents and the facts of their relations, in order of ids.
//
// Deleted memories are included. A fact that is the name of its relation states nothing.
//
// access  read
// param   group_id : STRING — the tenant
// param   after_id : STRING — of the last memory of the batch before; empty for the first
// param   limit    : INTEGER
// returns memory_id : STRING
// returns content   : STRING | LIST<STRING> — plain, or a list of one compressed text
// returns authority : STRING?
// returns facts     : LIST<STRING> — of the relations that begin at the memory
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id
WITH m ORDER BY m.group_id, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id,
  // include fragments/memory/content
  AS content, m.origin_authority AS authority, COLLECT {
    MATCH (m)-[r:RELATES_TO]->(:Entity)
    WHERE r.fact IS :: STRING NOT NULL AND r.fact <> r.name
    RETURN DISTINCT r.fact
  } AS facts
ORDER BY memory_id
