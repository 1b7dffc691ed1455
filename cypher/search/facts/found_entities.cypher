// Find the entities `m` that answer a question, each with its place by meaning and by words.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — its words, with the group's key required
// param   states     : LIST<STRING> — lifecycle states to serve
// param   candidates : INTEGER — of each ranking
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
