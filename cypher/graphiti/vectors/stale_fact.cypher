// Check that the text of fact `r` needs a vector.
//
// An expression. Vectors of other models stay unless `all_of_graphiti` is set: Graphiti compares
// all vectors of a group, and finds nothing if their widths differ.
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
