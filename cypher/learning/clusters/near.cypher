// List the memories nearest in meaning to each of some memories of a group.
//
// The index contains vectors of one model at a time; a pair of two models is left out.
//
// access  read
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states of the memories that count
// param   memory_ids : LIST<STRING>
// param   nearest    : INTEGER — neighbours of a memory, itself included
// returns memory_id : STRING
// returns other_id  : STRING
// returns hash      : STRING — of the text of the other memory
// returns cosine    : FLOAT [1] — −1 to 1
UNWIND $memory_ids AS memory_id
MATCH (m:Memory {uuid: memory_id, group_id: $group_id})
WHERE
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
WHERE m <> a AND m.embedding_model = a.embedding_model AND
// include fragments/memory/counts
RETURN a.uuid AS memory_id, m.uuid AS other_id,
       // include learning/clusters/hash
       AS hash,
       round(2 * similarity - 1, 3) AS cosine
ORDER BY memory_id, cosine DESC, other_id
