// Yield the memories `m` that contain a word of the question, word by word.
//
// Binds `share`, the rarity of the word times BM25 as a share of the word's best, and `weight`, in
// which that share is saturated. No property of a memory is read here, because few of thousands
// become candidates. For a word that is too common only the best memories are yielded: that word
// alone does not rank a memory high.
//
// access  fragment
// param   saturation  : FLOAT [1] — exponent of BM25's share, 0 (an occurrence) to 1 (all of BM25)
// param   hits        : INTEGER — a word with as many holders is too common
// param   common_hits : INTEGER — memories of such a word, at most `hits`
UNWIND looked AS word
UNWIND range(0, CASE WHEN word.holders < $hits THEN word.holders ELSE $common_hits END - 1) AS i
WITH word.found[i] AS m, word.position AS position, word.rarity AS rarity,
     word.scores[i] / word.scores[0] AS best
WITH m, position, rarity * best AS share, rarity * best ^ $saturation AS weight
