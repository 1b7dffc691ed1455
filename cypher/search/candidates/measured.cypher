// Return the memories of `pool` and `around` with the inputs of the ranking.
//
// The ranking needs the token vectors of nearly all memories of `pool`, and retrieval returns their
// contents. It needs few of `around`, which come without token vectors and content.
//
// access  fragment
// param   vector : VECTOR — the question, unit length
// param   lead   : INTEGER — characters of `lead`
// param   tell   : BOOLEAN — true to return memories as retrieval delivers them
CALL (met, pool, around) {
  UNWIND pool + CASE
    WHEN size(around) > 0 THEN met + [m IN around | {m: m, chosen: true}] ELSE []
  END AS x
  WITH x.m AS m, max(x.chosen) AS chosen, head(collect(x.words)) AS words, max(x.cosine) AS cosine
  WHERE chosen
  // include fragments/time/text_known
  WITH m, words, version, CASE WHEN version IS NULL THEN cosine END AS cosine,
       coalesce(version.content, toStringOrNull(m.content)) AS content
  RETURN collect({
    memory_id: m.uuid,
    cosine: coalesce(cosine, 2 * vector.similarity.cosine(
      coalesce(version.embedding,
        // include fragments/memory/vector
      ), $vector) - 1, 0.0),
    words: coalesce(words, []),
    lead: left(content, $lead),
    characters: size(content),
    told_at: coalesce(m.valid_at, split(toStringOrNull(m.created_at), '[')[0]),
    conversation_id: m.conversation_id,
    part: CASE WHEN cosine IS NOT NULL THEN
      // include search/candidates/part
    END,
    told: CASE WHEN $tell AND cosine IS NOT NULL THEN
      // include fragments/memory/brief
    END,
    related: $tell AND COUNT { (m)-[:RELATES_TO]-() } > 0
  }) AS memories
}
WITH [word IN looked | CASE WHEN word.holders > 0 THEN word.rarity ELSE word.rarity / 2 END]
  AS rarity, members, memories, links
