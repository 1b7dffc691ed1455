// Store the `vector`, `words` and `passages` of memory `m` unless null; Graphiti's if enabled.
//
// Graphiti compares nodes by `name_embedding`. An entity that Graphiti found keeps the vector of
// its name. The vectors of words are on a node of their own, because Graphiti cannot put bytes of a
// memory into its prompts.
//
// access  fragment
// param   group_id         : STRING — the tenant
// param   graphiti_vectors : BOOLEAN
CALL (m, vector) {
  WITH m, vector WHERE vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(m, 'embedding', vector)
  WITH m, vector
  WHERE ($graphiti_vectors OR m.name_embedding_model IS NOT NULL) AND m.adopted_at IS NULL
  SET m.name_embedding_model = m.embedding_model
  WITH m, vector
  CALL db.create.setNodeVectorProperty(m, 'name_embedding', vector)
}
CALL (m, words) {
  WITH m, words WHERE words IS NOT NULL
  MERGE (m)-[:HAS_WORDS]->(kept:WordVectors)
  SET kept.group_id = $group_id, kept.vectors = words
}
CALL (m, vector, words) {
  WITH m WHERE vector IS NOT NULL AND words IS NULL
  MATCH (m)-[:HAS_WORDS]->(outdated:WordVectors)
  DETACH DELETE outdated
}
CALL (m, passages) {
  WITH m WHERE passages IS NOT NULL
  MATCH (m)-[:HAS_PASSAGE]->(outdated:Passage)
  DETACH DELETE outdated
}
CALL (m, passages) {
  WITH m, passages WHERE passages IS NOT NULL
  SET m.passage_count = size(passages)
  WITH m, passages
  UNWIND passages AS row
  CREATE (m)-[:HAS_PASSAGE]->(part:Passage {
    group_id: $group_id, start: row.start, end: row.end, word_vectors: row.word_vectors
  })
  WITH part, toFloatList(row.embedding) AS embedding
  CALL db.create.setNodeVectorProperty(part, 'embedding', embedding)
}
