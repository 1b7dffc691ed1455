// Look up the words of a question in the full-text index.
//
// Lucene counts the rarity of a word over all tenants, so the commonest name of one tenant could
// outweigh everything. For this reason each word is looked up alone, and its rarity is counted in
// the group. Binds `members`, the memories of the group that were counted, and `looked` in the
// order of `lookups`: the `rarity` of a word, the number `holders` of memories that contain it, and
// the memories `found` with their `scores`. For a word with more than `hits` holders, these are the
// best by BM25.
//
// The analyser of the index drops its stop words. Without them a query requires the group alone and
// finds its members with a score of 0. Such a word has no holders and the rarity 0.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   lookups    : LIST<STRING> — a Lucene query per word, which requires the key of the group
// param   hits       : INTEGER — most memories per word
// param   members    : INTEGER — most memories of the group that are counted
// source  Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), for the rarity
CALL () {
  MATCH (member:Memory {group_id: $group_id})
  WITH member LIMIT $members
  RETURN count(member) AS members
}
CALL (members) {
  UNWIND CASE WHEN size($lookups) = 0 THEN [] ELSE range(0, size($lookups) - 1) END AS position
  CALL (position) {
    CALL db.index.fulltext.queryNodes('memory_text_idx', $lookups[position], {limit: $hits})
      YIELD node, score
    RETURN collect(CASE WHEN score > 0 THEN node END) AS found,
           collect(CASE WHEN score > 0 THEN score END) AS scores,
           coalesce(max(score) = 0, false) AS is_dropped
  }
  WITH members, position, found, scores, size(found) AS holders, is_dropped
  ORDER BY position
  RETURN collect({
    position: position, found: found, scores: scores, holders: holders,
    rarity: CASE WHEN is_dropped THEN 0.0
      ELSE log(1 + (members - holders + 0.5) / (holders + 0.5)) END
  }) AS looked
}
