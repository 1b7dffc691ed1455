// Find the entities `m` with given labels that answer a question, by comparing all of them.
//
// The indexes do not contain labels. A filter after the index could miss entities of a rare label.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   vector     : VECTOR — the question, unit length
// param   lucene     : STRING — Lucene query of its words, which requires the key of the group
// param   labels     : LIST<STRING> — an entity has at least one of them
// param   states     : LIST<STRING> — lifecycle states to return
// param   candidates : INTEGER — most results of each ranking
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
