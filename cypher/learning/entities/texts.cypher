// Read the texts of memories, and the mentions that were found in them before.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>
// param   characters : INTEGER — characters of a text at most
// returns memory_id    : STRING
// returns text         : STRING
// returns content_hash : STRING
// returns was          : STRING — note of what was read before; empty for nothing
// returns before       : LIST<MAP> — entity_id, kind and key (null for Graphiti's), text, starts
//         and ends
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
CALL (m) {
  OPTIONAL MATCH (m)-[r:HAS_MENTION]->(e)
  WITH r, e ORDER BY e.uuid
  RETURN collect(CASE WHEN e IS NULL THEN null ELSE {
    entity_id: e.uuid, kind: CASE WHEN e:NamedEntity THEN e.kind END,
    key: CASE WHEN e:NamedEntity THEN e.key END, text: r.text, starts: r.starts, ends: r.ends
  } END) AS before
}
RETURN m.uuid AS memory_id,
       left(coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), ''), $characters)
         AS text,
       toString(m.content_hash) AS content_hash, coalesce(m.mentions_hash, '') AS was, before
ORDER BY memory_id
