// Count the memories of a page whose properties disagree, by what is wrong.
//
// access  read
// param   group_id   : STRING — the tenant
// param   group_key  : STRING — its term in the full-text index
// param   states     : LIST<STRING> — the lifecycle states there are
// param   types      : LIST<STRING> — the memory types there are
// param   sources    : LIST<STRING> — the sources there are
// param   policies   : LIST<STRING> — the decay policies there are
// param   model      : STRING — of the embeddings
// param   dimensions : INTEGER
// param   kinds      : MAP — the type of each property, such as text or list of text
// returns problem : STRING
// returns count   : INTEGER
// returns example : STRING — id of one of them, or that of Neo4j if it has none
// include fragments/memory/page
WITH m, properties(m) AS fields
UNWIND [
  CASE WHEN fields.content IS NULL
         OR trim(toStringOrNull(fields.content)) = '' AND fields.content_gz IS NULL
       THEN 'has no content' END,
  CASE WHEN fields.embedding IS NULL THEN 'has no embedding'
       WHEN fields.embedding_model <> $model OR fields.embedding_dimension <> $dimensions
       THEN 'has an embedding of another model'
       WHEN NOT
       // include fragments/memory/has_cosine
       THEN 'has an embedding of other values than its model' END,
  CASE WHEN fields.dedup_key <> $group_id + '|' + fields.content_hash
         OR fields.dedup_key IS NULL AND fields.soft_deleted_at IS NULL
       THEN 'can be stored twice (dedup_key)' END,
  CASE WHEN fields.group_key <> $group_key OR fields.group_key IS NULL
       THEN 'cannot be found by its words (group_key)' END,
  CASE WHEN (fields.lifecycle_state = 'SOFT_DELETED') <> (fields.soft_deleted_at IS NOT NULL)
       THEN 'is deleted by its state or its date, not by both' END,
  CASE WHEN coalesce(fields.is_compressed, false) <> (fields.content_gz IS NOT NULL)
       THEN 'is compressed by its mark or by its content, not by both' END,
  CASE WHEN any(time IN [
         fields.updated_at, fields.valid_at, fields.invalid_at, fields.last_accessed_at,
         fields.last_decay_update, fields.state_changed_at, fields.next_due_at,
         fields.preserve_until, fields.obsolete_at, fields.soft_deleted_at,
         fields.confidence_decayed_at, fields.unprotected_at, fields.held_until]
         WHERE NOT time IS :: STRING
           OR NOT time =~ '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z')
       THEN 'has an instant that is no text as 2026-01-31T12:00:00.000Z' END,
  CASE WHEN NOT coalesce(fields.created_at IS :: ZONED DATETIME NOT NULL, false)
       THEN 'has no created_at, or one that is not a date and time' END,
  CASE WHEN COUNT { (m)-[:HAS_PARENT]->() } > 1 THEN 'has two parents' END,
  CASE WHEN NOT coalesce(fields.lifecycle_state IN $states, false)
       THEN 'is in an unknown state' END,
  CASE WHEN NOT coalesce(fields.memory_type IN $types, false) THEN 'is of an unknown type' END,
  CASE WHEN NOT coalesce(fields.source IN $sources, false) THEN 'is of an unknown source' END,
  CASE WHEN NOT coalesce(
         fields.metadata_json STARTS WITH '{' AND fields.metadata_json ENDS WITH '}', false)
       THEN 'has metadata that is not a JSON object' END,
  CASE WHEN NOT coalesce(
         fields.attachments_json STARTS WITH '[' AND fields.attachments_json ENDS WITH ']',
         fields.attachments_json IS NULL)
       THEN 'has attachments that are not a JSON list' END,
  CASE WHEN NOT fields.decay_policy IN $policies
       THEN 'does not fade: its decay_policy is not known (policy_dir)' END,
  CASE WHEN NOT coalesce(1 <= fields.importance <= 10, false)
       THEN 'has importance beyond 1..10' END,
  CASE WHEN NOT coalesce(1 <= fields.stability <= 5, false) THEN 'has stability beyond 1..5' END,
  CASE WHEN NOT coalesce(0 <= fields.decay_score <= 1, false) THEN 'has a score beyond 0..1' END,
  CASE WHEN
       // include fragments/memory/summary_changed
       THEN 'lacks the summary that Graphiti has saved since' END
] + [name IN
  // include fragments/memory/mistyped
  | 'has a ' + name + ' that is not ' + $kinds[name]
] AS problem
WITH m, problem WHERE problem IS NOT NULL
RETURN 'a memory ' + problem AS problem, count(*) AS count,
       min(coalesce(toStringOrNull(m.uuid), elementId(m))) AS example
ORDER BY problem
