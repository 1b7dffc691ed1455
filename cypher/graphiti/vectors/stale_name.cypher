// Check that the name of memory `m`, an entity of Graphiti, needs a vector.
//
// An expression. Vectors of other models stay unless `all_of_graphiti` is set: Graphiti compares
// all vectors of a group, and finds nothing if their widths differ. A memory that Graphiti did not
// find has the vector of its content.
//
// access  fragment
// param   all_of_graphiti : BOOLEAN
// param   only_missing    : BOOLEAN
// param   model           : STRING
// param   dimensions      : INTEGER
m.adopted_at IS NOT NULL AND m.name IS NOT NULL
AND ($all_of_graphiti OR m.name_embedding_model IS NOT NULL)
AND NOT ($only_missing AND coalesce(
  m.name_embedding_model = $model AND size(m.name_embedding) = $dimensions, false))
