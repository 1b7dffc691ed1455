// Describe the memories of `pool` and `around` for a ranking, with the words that each holds.
//
// Nearly all of the pool are met word by word and found, but few of those around it: these come
// without the vectors of their words, and without what is told of a memory.
//
// access  fragment
// param   vector : VECTOR — the question, unit length
// param   lead   : INTEGER — characters of content to show
// param   tell   : BOOLEAN — whether what is told of a memory is wanted
CALL (met, pool, around) {
  UNWIND pool + CASE
    WHEN size(around) > 0 THEN met + [m IN around | {m: m, chosen: true}] ELSE []
  END AS x
  WITH x.m AS m, max(x.chosen) AS chosen, head(collect(x.words)) AS words, max(x.cosine) AS cosine
  WHERE chosen
  // include fragments/time/text_known
  WITH m, words, version, CASE WHEN version IS NULL THEN cosine END AS cosine,
       coalesce(version.content, m.content) AS content
  RETURN collect({
    memory_id: m.uuid,
    cosine: coalesce(cosine, 2 * vector.similarity.cosine(
      coalesce(version.embedding, m.embedding), $vector) - 1, 0.0),
    words: coalesce(words, []),
    lead: left(content, $lead),
    characters: size(content),
    told_at: coalesce(m.valid_at, split(toString(m.created_at), '[')[0]),
    conversation_id: m.conversation_id,
    vectors: CASE WHEN cosine IS NOT NULL
      THEN head([(m)-[:HAS_WORDS]->(w:WordVectors) | w.vectors]) END,
    told: CASE WHEN $tell AND cosine IS NOT NULL THEN
      // include fragments/memory/brief
    END,
    related: $tell AND COUNT { (m)-[:RELATES_TO]-() } > 0
  }) AS memories
}
WITH [word IN looked | CASE WHEN word.holders > 0 THEN word.rarity ELSE word.rarity / 2 END]
  AS rarity, memories, links
