// Stream the memories of a group with their relations and neighbours, for clusters.
//
// access  stream
// param   group_id   : STRING — the tenant
// param   characters : INTEGER — characters of a text at most
// returns memory_id : STRING
// returns place     : STRING — as stored: the cluster, and the label after '|'; empty for none
// returns counts    : BOOLEAN — whether the memory takes part
// returns in_canary : BOOLEAN — whether the run may change it
// returns text      : STRING
// returns hash      : STRING — of the text
// returns vector_of : STRING? — the text and the model of the vector; null without one
// returns near      : STRING? — the nearest memories in meaning, as JSON
// returns relations : LIST<LIST> — id of the end, type and strength
MATCH (m:Memory {group_id: $group_id})
WITH m,
  // include fragments/memory/counts
  AS counts
RETURN m.uuid AS memory_id,
       // include learning/clusters/place
       AS place,
       counts,
       // include fragments/maintenance/in_canary
       AS in_canary,
       CASE WHEN counts
         THEN left(coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), ''), $characters)
         ELSE '' END AS text,
       // include learning/clusters/hash
       AS hash,
       CASE WHEN m.embedding_model IS NOT NULL
         THEN toString(m.content_hash) + ' ' + toString(m.embedding_model) END AS vector_of,
       toStringOrNull(m.near_json) AS near,
       CASE WHEN counts THEN
         // include fragments/relation/held_from
       ELSE [] END AS relations
