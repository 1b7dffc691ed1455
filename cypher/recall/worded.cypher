// Choose the memories `m` that hold words of a question, and weigh the words found, in `words`.
//
// Lucene counts how rare a word is over all tenants, which would let a tenant's commonest name
// outweigh everything. So each word is looked up alone, and its rarity is counted in the group.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to serve
// param   lookups    : LIST<STRING> — Lucene, one per word, each with the group's key required
// param   hits       : INTEGER — at most so many per word
// param   saturation : FLOAT [1] — 0 counts that a word occurs, 1 all that BM25 makes of it
// source  Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), for the rarity
CALL () {
  MATCH (member:Memory {group_id: $group_id})
  RETURN count(member) AS size
}
UNWIND $lookups AS lookup
CALL (lookup) {
  CALL db.index.fulltext.queryNodes('memory_text_idx', lookup, {limit: $hits})
    YIELD node, score
  WITH node, score WHERE score > 0
  RETURN collect({memory: node, score: score}) AS found
}
WITH size, found, size(found) AS holders
UNWIND found AS hit
WITH hit.memory AS m, sum(
  log(1 + (size - holders + 0.5) / (holders + 0.5)) * (hit.score / found[0].score) ^ $saturation
) AS words
WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
WITH m, words
