// Give memory `m` its `vector`, unless that is null; as Graphiti's too, where it is wanted.
//
// Graphiti compares nodes by `name_embedding`.
//
// access  fragment
// param   graphiti_vectors : BOOLEAN
CALL (m, vector) {
  WITH m, vector WHERE vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(m, 'embedding', vector)
  WITH m, vector WHERE $graphiti_vectors
  CALL db.create.setNodeVectorProperty(m, 'name_embedding', vector)
}
