// Keep the memories `m` to embed: all, or those without a vector of the model.
//
// access  fragment
// param   only_missing : BOOLEAN
// param   model        : STRING
// param   dimensions   : INTEGER
// param   words        : BOOLEAN — true if each word needs a vector too
WHERE m.content IS NOT NULL AND NOT (
  $only_missing AND m.embedding IS NOT NULL
  AND coalesce(m.embedding_model = $model AND m.embedding_dimension = $dimensions, false)
  AND (NOT $words OR EXISTS { (m)-[:HAS_WORDS]->() }))
