// Find the facts between given entities of a group, the most similar first.
//
// access  read
// param   group_id : STRING — the tenant
// param   from_ids : LIST<STRING> — ids of the starts
// param   to_ids   : LIST<STRING> — ids of the ends
// param   vector   : VECTOR? — query vector
// param   limit    : INTEGER
// returns fact : MAP<ANY>
MATCH (a:Entity)
// No index answers the group, which the planner may take for smaller than the list.
WHERE a.uuid IN $from_ids AND coalesce(a.group_id = $group_id, false)
  AND a.soft_deleted_at IS NULL
MATCH (a)-[r:RELATES_TO]->(b:Entity)
WHERE b.uuid IN $to_ids AND r.group_id = $group_id AND b.soft_deleted_at IS NULL
WITH r, CASE WHEN size(r.fact_embedding) = vector_dimension_count($vector)
  THEN vector.similarity.cosine(r.fact_embedding, $vector) END AS score
WITH r, coalesce(score, 0.0) AS score ORDER BY score DESC, r.uuid LIMIT $limit
// include graphiti/search/fact
RETURN fact
ORDER BY score DESC, r.uuid
