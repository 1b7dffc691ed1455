// Weigh the words that each memory `m` holds: their sum in `text`, each with its place in `words`.
//
// access  fragment
// param   group_id   : STRING — the tenant
// param   states     : LIST<STRING> — lifecycle states to serve
// param   saturation : FLOAT [1] — 0 counts that a word occurs, 1 all that BM25 makes of it
UNWIND looked AS word
UNWIND word.found AS hit
WITH hit.m AS m, word.position AS position,
     word.rarity * (hit.score / word.found[0].score) ^ $saturation AS weight
WITH m, sum(weight) AS text, collect([position, weight]) AS words
WHERE m.group_id = $group_id AND m.lifecycle_state IN $states
WITH m, text, words
