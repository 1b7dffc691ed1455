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
UNWIND [
  CASE WHEN m.content IS NULL OR trim(toStringOrNull(m.content)) = '' AND m.content_gz IS NULL
       THEN 'has no content' END,
  CASE WHEN m.embedding IS NULL THEN 'has no embedding'
       WHEN m.embedding_model <> $model OR m.embedding_dimension <> $dimensions
       THEN 'has an embedding of another model'
       WHEN NOT
       // include fragments/memory/has_cosine
       THEN 'has an embedding of other values than its model' END,
  CASE WHEN m.dedup_key <> $group_id + '|' + m.content_hash
         OR m.dedup_key IS NULL AND m.soft_deleted_at IS NULL
       THEN 'can be stored twice (dedup_key)' END,
  CASE WHEN m.group_key <> $group_key OR m.group_key IS NULL
       THEN 'cannot be found by its words (group_key)' END,
  CASE WHEN (m.lifecycle_state = 'SOFT_DELETED') <> (m.soft_deleted_at IS NOT NULL)
       THEN 'is deleted by its state or its date, not by both' END,
  CASE WHEN coalesce(m.is_compressed, false) <> (m.content_gz IS NOT NULL)
       THEN 'is compressed by its mark or by its content, not by both' END,
  CASE WHEN any(time IN [
         m.updated_at, m.valid_at, m.invalid_at, m.last_accessed_at, m.last_decay_update,
         m.state_changed_at, m.next_due_at, m.preserve_until, m.obsolete_at, m.soft_deleted_at,
         m.confidence_decayed_at, m.unprotected_at, m.held_until]
         WHERE NOT time IS :: STRING
           OR NOT time =~ '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z')
       THEN 'has an instant that is no text as 2026-01-31T12:00:00.000Z' END,
  CASE WHEN NOT coalesce(m.created_at IS :: ZONED DATETIME NOT NULL, false)
       THEN 'has no created_at, or one that is not a date and time' END,
  CASE WHEN COUNT { (m)-[:HAS_PARENT]->() } > 1 THEN 'has two parents' END,
  CASE WHEN NOT coalesce(m.lifecycle_state IN $states, false) THEN 'is in an unknown state' END,
  CASE WHEN NOT coalesce(m.memory_type IN $types, false) THEN 'is of an unknown type' END,
  CASE WHEN NOT coalesce(m.source IN $sources, false) THEN 'is of an unknown source' END,
  CASE WHEN NOT coalesce(m.metadata_json STARTS WITH '{' AND m.metadata_json ENDS WITH '}', false)
       THEN 'has metadata that is not a JSON object' END,
  CASE WHEN NOT coalesce(m.attachments_json STARTS WITH '[' AND m.attachments_json ENDS WITH ']',
                         m.attachments_json IS NULL)
       THEN 'has attachments that are not a JSON list' END,
  CASE WHEN NOT m.decay_policy IN $policies
       THEN 'does not fade: its decay_policy is not known (policy_dir)' END,
  CASE WHEN NOT coalesce(1 <= m.importance <= 10, false) THEN 'has importance beyond 1..10' END,
  CASE WHEN NOT coalesce(1 <= m.stability <= 5, false) THEN 'has stability beyond 1..5' END,
  CASE WHEN NOT coalesce(0 <= m.decay_score <= 1, false) THEN 'has a score beyond 0..1' END,
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
