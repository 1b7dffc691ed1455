// Keep of the memories `m` those to embed: all, or those without the model's vectors.
//
// access  fragment
// param   only_missing : BOOLEAN
// param   model        : STRING
// param   dimensions   : INTEGER
// param   words        : BOOLEAN — whether each word has a vector too
WHERE m.content IS NOT NULL AND NOT (
  $only_missing AND m.embedding IS NOT NULL
  AND coalesce(m.embedding_model = $model AND m.embedding_dimension = $dimensions, false)
  AND (NOT $words OR EXISTS { (m)-[:HAS_WORDS]->() }))
