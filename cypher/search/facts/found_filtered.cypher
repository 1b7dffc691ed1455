// Find the facts `r` that match the filters and answer a question, by comparing all of them.
//
// The indexes contain the group only. A filter after the index could miss the facts of a date.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — Lucene query of its words, which requires the key of the group
// param   candidates : INTEGER — most results of each ranking
CALL () {
  MATCH (n:Entity {group_id: $group_id})-[r:RELATES_TO {group_id: $group_id}]->(:Entity)
  WHERE
  // include search/facts/valid
  WITH r, CASE WHEN size(r.fact_embedding) = vector_dimension_count($vector)
    THEN vector.similarity.cosine(r.fact_embedding, $vector) END AS near
  WITH r, near WHERE near IS NOT NULL
  WITH r ORDER BY near DESC, r.uuid LIMIT $candidates
  WITH collect(r) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS r, place
UNION ALL
  CALL db.index.fulltext.queryRelationships('fact_text_idx', $lucene, {limit: 1000})
    YIELD relationship AS r, score AS text
  WITH r, text WHERE r.group_id = $group_id AND
  // include search/facts/valid
  WITH r ORDER BY text DESC, r.uuid LIMIT $candidates
  WITH collect(r) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS r, place
}
