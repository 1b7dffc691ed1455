// Choose the memories `m` near a question, by meaning and by words, each with its two raw scores.
//
// `similarity` is (1 + cosine) / 2 and is computed for every candidate; `text_score` is BM25, 0 where
// no word matches. The full-text index streams its hits best first, so a filter costs no results.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to serve
// param   vector     : VECTOR — the question, unit length
// param   text_query : STRING — Lucene, with the group's key required
// param   candidates : INTEGER — at most so many per leg
CALL () {
  MATCH (m:Memory)
    SEARCH m IN (
      VECTOR INDEX memory_embedding_idx FOR $vector
      WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
      LIMIT $candidates
    ) SCORE AS similarity
  WITH m
  // include recall/filter
  RETURN m, 0.0 AS words
UNION ALL
  CALL db.index.fulltext.queryNodes('memory_text_idx', $text_query) YIELD node AS m, score AS words
  WITH m, words WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
  WITH m, words
  // include recall/filter
  RETURN m, words LIMIT $candidates
}
WITH m, max(words) AS text_score
WITH m, text_score, vector.similarity.cosine(m.embedding, $vector) AS similarity
