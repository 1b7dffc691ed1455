// List the memories of a group with a value of another type, beyond its range or not known.
//
// access  read
// param   group_id   : STRING — the tenant
// param   after_id   : STRING
// param   limit      : INTEGER
// param   instants   : LIST<STRING> — properties that hold instants as text
// param   json_lists : LIST<STRING> — properties that hold lists of JSON objects
// param   states     : LIST<STRING> — the lifecycle states there are
// param   types      : LIST<STRING> — the memory types there are
// param   sources    : LIST<STRING> — the sources there are
// param   model      : STRING — of the embeddings
// returns memory_id : STRING
// returns values    : MAP<ANY> — all properties of the table and created_at, without vectors
// returns vector    : BOOLEAN — true if the vector is damaged
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.uuid > $after_id
WITH m, properties(m) AS fields
WITH m, fields, coalesce(fields.embedding_model = $model, false) AND NOT
  // include fragments/memory/has_cosine
  AS vector
WHERE vector
  OR NOT coalesce(fields.created_at IS :: ZONED DATETIME NOT NULL, false)
  OR NOT coalesce(fields.lifecycle_state IN $states, true)
  OR NOT coalesce(fields.memory_type IN $types, true)
  OR NOT coalesce(fields.source IN $sources, true)
  OR NOT coalesce(
    fields.metadata_json STARTS WITH '{' AND fields.metadata_json ENDS WITH '}', true)
  OR NOT coalesce(
    fields.attachments_json STARTS WITH '[' AND fields.attachments_json ENDS WITH ']', true)
  OR NOT coalesce(1 <= fields.importance <= 10, fields.importance IS NULL)
  OR NOT coalesce(1 <= fields.stability <= 5, fields.stability IS NULL)
  OR NOT coalesce(0 <= fields.decay_score <= 1, fields.decay_score IS NULL)
  OR any(name IN $instants WHERE NOT coalesce(fields[name] IS :: STRING
    AND fields[name] =~ '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z',
    fields[name] IS NULL))
  OR any(name IN $json_lists WHERE CASE WHEN fields[name] IS :: LIST<STRING NOT NULL>
    THEN any(entry IN fields[name] WHERE NOT entry STARTS WITH '{') ELSE false END)
  OR size(
    // include fragments/memory/mistyped
  ) > 0
WITH m, vector ORDER BY m.group_id, m.uuid LIMIT $limit
RETURN m.uuid AS memory_id, m {.*, embedding: null, name_embedding: null} AS values, vector
ORDER BY memory_id
