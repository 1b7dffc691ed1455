// Look up the words of a question.
//
// Lucene counts how rare a word is over all tenants, which would let a tenant's commonest name
// outweigh everything. So each word is looked up alone, and its rarity is counted in the group.
// Binds `looked`, of each word its `rarity`, its `holders` and who they are, in the order of
// `lookups`; of a word with more than `hits`, those that BM25 puts first.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   lookups    : LIST<STRING> — Lucene, one per word, each with the group's key required
// param   hits       : INTEGER — at most so many per word
// param   members    : INTEGER — of the group at most so many are counted
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
    WITH node, score WHERE score > 0
    RETURN collect(node) AS found, collect(score) AS scores
  }
  WITH members, position, found, scores, size(found) AS holders
  ORDER BY position
  RETURN collect({
    position: position, found: found, scores: scores, holders: holders,
    rarity: log(1 + (members - holders + 0.5) / (holders + 0.5))
  }) AS looked
}
