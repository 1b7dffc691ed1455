// List the memories of a group nearest to a text in meaning that were true no later than it.
//
// access  read
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — of the text, unit length
// param   model      : STRING — the embedding model of the vector
// param   valid_at   : STRING? — ISO 8601, UTC; the text is true from then on
// param   left_out   : LIST<STRING> — ids of memories that do not count
// param   states     : LIST<STRING> — lifecycle states of the memories that count
// param   now        : STRING — ISO 8601, UTC
// param   nearest    : INTEGER — memories that the index is asked for
// param   limit      : INTEGER — most memories of the answer
// param   characters : INTEGER — characters of a text that are read
// returns memory_id : STRING
// returns text      : STRING
// returns cosine    : FLOAT [1] — −1 to 1
MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding_idx FOR $vector
    WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
    LIMIT $nearest
  ) SCORE AS similarity
WHERE NOT m.uuid IN $left_out AND m.embedding_model = $model
  AND (m.invalid_at IS NULL OR m.invalid_at > $now)
  AND (m.valid_at IS NULL OR m.valid_at <= $valid_at)
RETURN m.uuid AS memory_id,
       left(coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), ''), $characters)
         AS text,
       2 * similarity - 1 AS cosine
ORDER BY cosine DESC, memory_id
LIMIT $limit
