// Change a memory; its previous text stays as a version.
//
// A null in `changes` leaves the property as it is. A part is superseded of the given content only.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memory_id  : STRING
// param   changes    : MAP — properties to change, and parent_id
// param   cleared    : LIST<STRING> — properties to remove, and parent_id
// param   titled     : BOOLEAN — whether the title is to change, not only the text that it is of
// param   superseded : MAP? — content, part: words of it, title: the one made of it
// param   origin     : MAP — way_in, caller, authority, above and origin_id
// param   shown      : BOOLEAN — whether a text changes that readers see
// param   version_id : STRING — id of the version with the previous text
// param   now        : STRING — ISO 8601, UTC
// returns memory : MAP
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.lifecycle_state <> 'SOFT_DELETED'
  AND ($superseded IS NULL OR m.content = $superseded.content)
CALL (m) {
  WITH m, m.content AS text, $version_id AS version_id WHERE $changes.content <> m.content
  // include fragments/memory/keep_version
}
WITH *,
  // include fragments/change/values
  AS was
WITH *, CASE WHEN $titled THEN was {.*, title: m.name} ELSE was END AS before
WITH m, before {.*, content: m.content_hash} AS was, m.name AS title
SET
  m.brief_json = CASE coalesce($changes.content_hash, m.content_hash) WHEN m.content_hash
    THEN m.brief_json END,
  m.content = coalesce($changes.content, m.content),
  m.content_gz = CASE WHEN $changes.content IS NULL THEN m.content_gz END,
  m.is_compressed = $changes.content IS NULL AND coalesce(m.is_compressed, false),
  m.content_hash = coalesce($changes.content_hash, m.content_hash),
  m.dedup_key = coalesce($changes.dedup_key, m.dedup_key),
  m.name = coalesce($changes.name, m.name),
  m.summary = coalesce($changes.summary, m.summary),
  m.embedding_model = coalesce($changes.embedding_model, m.embedding_model),
  m.embedding_dimension = coalesce($changes.embedding_dimension, m.embedding_dimension),
  m.metadata_json = coalesce($changes.metadata_json, m.metadata_json),
  m.attachments_json = coalesce($changes.attachments_json, m.attachments_json),
  m.tags = coalesce($changes.tags, m.tags),
  m.memory_type = coalesce($changes.memory_type, m.memory_type),
  m.importance = coalesce($changes.importance, m.importance),
  m.importance_source =
    CASE WHEN $changes.importance IS NULL THEN m.importance_source ELSE 'user' END,
  m.stability = coalesce($changes.stability, m.stability),
  m.stability_source =
    CASE WHEN $changes.stability IS NULL THEN m.stability_source ELSE 'user' END,
  m.classification_status = CASE WHEN $changes.importance IS NULL THEN m.classification_status
    WHEN m.classification_status = 'pending' THEN 'done' ELSE m.classification_status END,
  m.confidence = coalesce($changes.confidence, m.confidence),
  m.project_id = coalesce($changes.project_id, m.project_id),
  m.decay_policy = coalesce($changes.decay_policy, m.decay_policy),
  m.decay_rate = coalesce($changes.decay_rate, m.decay_rate),
  m.origin_authority = CASE WHEN $shown AND m.origin_authority IN $origin.above
    THEN $origin.authority ELSE m.origin_authority END,
  m.origin_way_in = CASE WHEN $changes.content IS NULL THEN m.origin_way_in ELSE $origin.way_in END,
  m.origin_caller = CASE WHEN $changes.content IS NULL THEN m.origin_caller ELSE $origin.caller END,
  m.origin_id = CASE WHEN $changes.content IS NULL THEN m.origin_id ELSE $origin.origin_id END,
  m.updated_at = $now,
  m.last_accessed_at = $now
// include memories/update/keep_title
FOREACH (key IN [key IN $cleared WHERE key <> 'parent_id'] | SET m[key] = null)
WITH m, was
// include memories/update/set_parent
// include fragments/memory/reactivate
// include fragments/change/note
CALL (m) {
  // include decay/next_state
  WITH *, 'update' AS reason,
    CASE WHEN curve.states <> 'by_score' THEN 'ACTIVE'
      WHEN target = 'SOFT_DELETED' THEN 'EXPIRED' ELSE target END AS entered
  // include decay/enter_state
}
// include decay/store_score
WITH m, toFloatList($changes.embedding) AS vector, $changes.word_vectors AS words,
     $changes.passages AS passages
// include fragments/memory/embed
// include fragments/memory/full
RETURN memory
