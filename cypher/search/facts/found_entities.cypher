// Find the entities `m` that answer a question, with their place by meaning and by words.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — Lucene query of its words, which requires the key of the group
// param   states     : LIST<STRING> — lifecycle states to return
// param   candidates : INTEGER — most results of each ranking
CALL () {
  MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding_idx FOR $vector
      WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
      LIMIT $candidates
    ) SCORE AS near
  WITH m ORDER BY near DESC, m.uuid
  WITH collect(m) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS m, place
UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_idx', $lucene, {limit: $candidates})
    YIELD node AS m, score AS text
  WITH m, text WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
  WITH m ORDER BY text DESC, m.uuid
  WITH collect(m) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS m, place
}
