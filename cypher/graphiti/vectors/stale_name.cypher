// Tell whether the name of memory `m`, an entity of Graphiti's, is to be embedded.
//
// An expression. Vectors of others are left unless Graphiti is to have ours: it compares all of a
// group, and of different widths none. What Graphiti did not find has the vector of its content.
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
