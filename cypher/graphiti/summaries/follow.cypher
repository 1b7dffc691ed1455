// Store the contents of memories whose summary has changed, unless the content has changed too.
//
// The earlier content stays as a version. The next embedding of texts without a vector embeds the
// new one.
//
// access  write
// param   group_id : STRING — the tenant
// param   memories : LIST<MAP> — memory_id, seen, text, content, content_hash and version_id;
//                    sorted by id
// param   origin   : MAP — way_in, caller, authority, above and origin_id
// param   now      : STRING — ISO 8601, UTC
// returns memory_id : STRING
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.content_hash = row.seen AND m.soft_deleted_at IS NULL
CALL (m, row) {
  WITH m, row.text AS text, row.version_id AS version_id
  // include fragments/memory/keep_version
}
WITH *, {content: m.content_hash} AS was
SET
  m.packing_due = CASE WHEN m.is_compressed THEN true ELSE m.packing_due END,
  m.content = row.content,
  m.content_gz = null,
  m.is_compressed = null,
  m.content_hash = row.content_hash,
  m.adopted_hash = row.content_hash,
  m.dedup_key = $group_id + '|' + row.content_hash,
  m.embedding_model = null,
  m.brief_json = null,
  m.origin_authority = CASE WHEN m.origin_authority IN $origin.above THEN $origin.authority
    ELSE m.origin_authority END,
  m.origin_way_in = $origin.way_in,
  m.origin_caller = $origin.caller,
  m.origin_id = $origin.origin_id,
  m.updated_at = $now
// include fragments/change/note
RETURN m.uuid AS memory_id
