// Stream the memories of a group that count, with what they note on the nearest memories.
//
// access  stream
// param   group_id : STRING — the tenant
// returns memory_id : STRING
// returns hash      : STRING — of the text
// returns note      : STRING? — the text and the embedding model; null without a vector
// returns in_canary : BOOLEAN — whether the run may change it
// returns near      : STRING? — the nearest memories in meaning, as JSON
MATCH (m:Memory {group_id: $group_id})
WHERE
// include fragments/memory/counts
RETURN m.uuid AS memory_id,
       // include learning/clusters/hash
       AS hash,
       CASE WHEN m.embedding_model IS NOT NULL
         THEN toString(m.content_hash) + ' ' + toString(m.embedding_model) END AS note,
       // include fragments/maintenance/in_canary
       AS in_canary,
       toStringOrNull(m.near_json) AS near
