// Go through the memories `m` that hold a word of the question, word by word.
//
// Binds its `share`, the word's rarity times its share of the word's best BM25, and `weight`, where
// that share is saturated. No property of a memory is read here: of thousands few get further. Of a
// word that is too common only the best are gone through: it alone brings no memory far.
//
// access  fragment
// param   saturation  : FLOAT [1] — 0 counts that a word occurs, 1 all that BM25 makes of it
// param   hits        : INTEGER — a word with as many holders is too common
// param   common_hits : INTEGER — of such a word so many are gone through, at most `hits`
UNWIND looked AS word
UNWIND range(0, CASE WHEN word.holders < $hits THEN word.holders ELSE $common_hits END - 1) AS i
WITH word.found[i] AS m, word.position AS position, word.rarity AS rarity,
     word.scores[i] / word.scores[0] AS best
WITH m, position, rarity * best AS share, rarity * best ^ $saturation AS weight
