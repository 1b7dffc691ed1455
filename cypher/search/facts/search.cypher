// Find the facts of a group that answer a question, by meaning and by words, best first.
//
// access  read
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — its words, with the group's key required
// param   candidates : INTEGER — of each ranking
// returns fact_id     : STRING
// returns name        : STRING
// returns fact        : STRING?
// returns source_id   : STRING
// returns target_id   : STRING
// returns source_name : STRING
// returns target_name : STRING
// returns strength    : FLOAT?
// returns valid_at    : ZONED DATETIME?
// returns invalid_at  : ZONED DATETIME?
// returns created_at  : ZONED DATETIME
// returns expired_at  : ZONED DATETIME?
// returns episodes    : LIST<STRING>
// returns score       : FLOAT [1] — 1 is first by meaning and by words
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
// include search/facts/best
