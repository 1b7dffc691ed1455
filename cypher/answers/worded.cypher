// Look up the words of a question.
//
// Lucene counts how rare a word is over all tenants, which would let a tenant's commonest name
// outweigh everything. So each word is looked up alone, and its rarity is counted in the group.
// Binds `looked`, of each word its `rarity` and `holders`, in the order of `lookups`, and `worded`,
// of each memory `m` the words it holds, weighted, and their sum `text`. No property of a memory is
// read here: of thousands few get further.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   lookups    : LIST<STRING> — Lucene, one per word, each with the group's key required
// param   hits       : INTEGER — at most so many per word
// param   members    : INTEGER — of the group at most so many are counted
// param   saturation : FLOAT [1] — 0 counts that a word occurs, 1 all that BM25 makes of it
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
    RETURN collect({m: node, score: score}) AS found
  }
  WITH members, position, found, size(found) AS holders
  ORDER BY position
  RETURN collect({
    position: position, found: found, holders: holders,
    rarity: log(1 + (members - holders + 0.5) / (holders + 0.5))
  }) AS looked
}
CALL (looked) {
  UNWIND looked AS word
  UNWIND word.found AS hit
  WITH hit.m AS m, word.position AS position,
       word.rarity * (hit.score / word.found[0].score) ^ $saturation AS weight
  WITH m, sum(weight) AS text, collect([position, weight]) AS words
  RETURN collect({m: m, text: text, words: words}) AS worded
}
