// Find the facts `r` that answer a question, with their place by meaning and by words.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — Lucene query of its words, which requires the key of the group
// param   candidates : INTEGER — most results of each ranking
CALL () {
  MATCH ()-[r:RELATES_TO]->()
    SEARCH r IN (
      VECTOR INDEX fact_embedding_idx FOR $vector WHERE r.group_id = $group_id
      LIMIT $candidates
    ) SCORE AS near
  WITH r, near WHERE
  // include search/facts/valid
  WITH r ORDER BY near DESC, r.uuid
  WITH collect(r) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS r, place
UNION ALL
  CALL db.index.fulltext.queryRelationships('fact_text_idx', $lucene, {limit: $candidates})
    YIELD relationship AS r, score AS text
  WITH r, text WHERE r.group_id = $group_id AND
  // include search/facts/valid
  WITH r ORDER BY text DESC, r.uuid
  WITH collect(r) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS r, place
}
