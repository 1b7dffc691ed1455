// Keep the memories `m` to embed: all, or those without a vector of the model or without passages.
//
// access  fragment
// param   longest : INTEGER — characters up to which no text has passages
WHERE m.content IS NOT NULL AND CASE
  WHEN m.passage_count IS NULL AND size(toStringOrNull(m.content)) > $longest THEN true
  ELSE NOT
  // include maintenance/reembedding/embedded
END
