// Return true if memory `m` needs no new vector.
//
// An expression. CASE keeps the order of its conditions: with AND, the planner reads the whole
// vector of each memory, or the memories three times, and takes twice as long.
//
// access  fragment
// param   only_missing : BOOLEAN — false: all need one
// param   model        : STRING
// param   dimensions   : INTEGER
// param   words        : BOOLEAN — true if each word needs a vector too
CASE
  WHEN NOT $only_missing OR m.embedding IS NULL THEN false
  WHEN $words AND NOT EXISTS { (m)-[:HAS_WORDS]->() } THEN false
  ELSE coalesce(m.embedding_model = $model AND m.embedding_dimension = $dimensions, false)
END
