// Describe the memories of `pool` and `around` for a ranking, with the words that each holds.
//
// access  fragment
// param   vector : VECTOR — the question, unit length
// param   lead   : INTEGER — characters of content to show
CALL (worded, pool, around) {
  UNWIND worded + [m IN pool + around | {m: m, chosen: true}] AS x
  WITH x.m AS m, max(x.chosen) AS chosen, collect(x.words) AS words
  WHERE chosen
  WITH m, words
  // include time/text_known
  WITH m, words, coalesce(version.content, m.content) AS content,
       coalesce(version.embedding, m.embedding) AS embedding
  RETURN collect({
    memory_id: m.uuid,
    cosine: 2 * vector.similarity.cosine(embedding, $vector) - 1,
    words: coalesce(words[0], []),
    lead: left(content, $lead),
    characters: size(content),
    told_at: coalesce(m.valid_at, m.created_at).epochMillis
  }) AS memories
}
WITH [word IN looked | CASE WHEN word.holders > 0 THEN word.rarity ELSE word.rarity / 2 END]
  AS rarity, memories, links
