// Find the entities `m` with given labels that answer a question; all of them are compared.
//
// The indexes know no labels: filtered after them, a rare kind might not be found.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — its words, with the group's key required
// param   labels     : LIST<STRING> — with one of these
// param   states     : LIST<STRING> — lifecycle states to serve
// param   candidates : INTEGER — of each ranking
CALL () {
  MATCH (m:Memory {group_id: $group_id})
  WHERE m.lifecycle_state IN $states AND any(label IN labels(m) WHERE label IN $labels)
  WITH m, vector.similarity.cosine(m.embedding, $vector) AS near
  WHERE near IS NOT NULL
  WITH m ORDER BY near DESC, m.uuid LIMIT $candidates
  WITH collect(m) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS m, place
UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_idx', $lucene, {limit: 1000})
    YIELD node AS m, score AS text
  WITH m, text WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
    AND any(label IN labels(m) WHERE label IN $labels)
  WITH m ORDER BY text DESC, m.uuid LIMIT $candidates
  WITH collect(m) AS found
  UNWIND range(1, size(found)) AS place
  RETURN found[place - 1] AS m, place
}
