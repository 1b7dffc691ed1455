// Tell whether the text of fact `r` is to be embedded.
//
// An expression. Vectors of others are left unless Graphiti is to have ours: it compares all of a
// group, and of different widths none.
//
// access  fragment
// param   all_of_graphiti : BOOLEAN
// param   only_missing    : BOOLEAN
// param   model           : STRING
// param   dimensions      : INTEGER
r.fact IS NOT NULL AND r.uuid IS NOT NULL
AND ($all_of_graphiti OR r.embedding_model IS NOT NULL)
AND NOT ($only_missing AND coalesce(
  r.embedding_model = $model AND size(r.fact_embedding) = $dimensions, false))
