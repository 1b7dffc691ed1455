// Return true if memory `m` needs no new vector.
//
// An expression.
//
// access  fragment
// param   only_missing : BOOLEAN — false: all need one
// param   model        : STRING
// param   dimensions   : INTEGER
// param   words        : BOOLEAN — true if each word needs a vector too
($only_missing AND m.embedding IS NOT NULL
  AND coalesce(m.embedding_model = $model AND m.embedding_dimension = $dimensions, false)
  AND (NOT $words OR EXISTS { (m)-[:HAS_WORDS]->() }))
