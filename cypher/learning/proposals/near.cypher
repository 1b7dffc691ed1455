// List the memories nearest in meaning to each of some memories of a group.
//
// Pairs that are parent and child are left out. The index contains vectors of one model at a time;
// a pair of two models is left out.
//
// access  read
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states of the memories that count
// param   now        : STRING — ISO 8601, UTC
// param   memory_ids : LIST<STRING>
// param   nearest    : INTEGER — neighbours of a memory, itself included
// param   least      : FLOAT [1] — least cosine
// returns memory_id : STRING
// returns text      : STRING
// returns other_id  : STRING
// returns other     : STRING — its text
// returns cosine    : FLOAT [1] — −1 to 1
// returns model     : STRING — the embedding model of both
// returns newer     : BOOLEAN — whether the memory became true, or else was stored, after the other
// returns related   : BOOLEAN — whether an active relation connects the two
// returns settled   : BOOLEAN — whether one supersedes or contradicts the other, or did so
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
WHERE m.lifecycle_state IN $states AND
// include fragments/memory/has_cosine
WITH m AS a
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
  AND m.embedding_model = a.embedding_model AND 2 * similarity - 1 >= $least
  AND NOT EXISTS { MATCH (a)-[:HAS_PARENT]-(m) }
RETURN a.uuid AS memory_id,
       coalesce(toStringOrNull(a.content), toStringOrNull(a.summary), '') AS text,
       m.uuid AS other_id,
       coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), '') AS other,
       2 * similarity - 1 AS cosine,
       a.embedding_model AS model,
       coalesce(
         CASE
           WHEN a.valid_at <> m.valid_at THEN a.valid_at > m.valid_at
           ELSE a.created_at > m.created_at OR a.created_at = m.created_at AND a.uuid > m.uuid
         END, false
       ) AS newer,
       EXISTS { MATCH (a)-[r:RELATES_TO]-(m) WHERE r.expired_at IS NULL } AS related,
       EXISTS {
         MATCH (a)-[r:RELATES_TO]-(m) WHERE r.name IN ['supersedes', 'contradicts']
       } AS settled
ORDER BY memory_id, cosine DESC, other_id
