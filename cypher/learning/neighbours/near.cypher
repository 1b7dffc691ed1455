// List the earlier memories nearest in meaning to a memory of a group, with both texts.
//
// A memory that supersedes or contradicts the other one already is left out. The index contains
// vectors of one model at a time; a memory with a vector of another model is left out.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_id  : STRING
// param   states     : LIST<STRING> — lifecycle states of the earlier memories
// param   now        : STRING — ISO 8601, UTC
// param   nearest    : INTEGER — memories of the index, the memory itself included
// param   characters : INTEGER — characters of a text that are read
// returns text      : STRING — of the memory
// returns memory_id : STRING — of an earlier memory
// returns before    : STRING — its text
// returns cosine    : FLOAT [1] — −1 to 1
MATCH (a:Memory {uuid: $memory_id, group_id: $group_id})
WHERE a.embedding IS NOT NULL
CALL (a) {
  MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding_idx FOR a.embedding
      WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
      LIMIT $nearest
    ) SCORE AS similarity
  RETURN m, similarity
}
WITH a, m, similarity
WHERE m <> a AND (m.invalid_at IS NULL OR m.invalid_at > $now)
  AND m.embedding_model = a.embedding_model
  AND (m.valid_at IS NULL OR m.valid_at <= a.valid_at)
  AND NOT EXISTS {
    MATCH (a)-[r:RELATES_TO]-(m) WHERE r.name IN ['supersedes', 'contradicts']
  }
WITH m, similarity,
     coalesce(toStringOrNull(a.content), toStringOrNull(a.summary), '') AS text,
     coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), '') AS before
RETURN left(text, $characters) AS text,
       m.uuid AS memory_id,
       left(before, $characters) AS before,
       2 * similarity - 1 AS cosine
ORDER BY cosine DESC, memory_id
