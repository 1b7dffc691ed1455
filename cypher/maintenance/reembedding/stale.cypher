// Keep the memories `m` to embed: all, or those without a vector of the model or without passages.
//
// access  fragment
// param   longest : INTEGER — characters up to which no text has passages
WHERE m.content IS NOT NULL AND NOT (
  (m.passage_count IS NOT NULL OR size(toStringOrNull(m.content)) <= $longest) AND
  // include maintenance/reembedding/embedded
)
