// Find facts by their meaning, within a group.
//
// access  schema
// param   dimensions   : INTEGER — width of an embedding; other vectors are not indexed
// param   quantization : STRING — NONE, SCALAR or BINARY
// param   expansion    : FLOAT [1] — candidates examined per result, >= 1
CREATE VECTOR INDEX fact_embedding_idx IF NOT EXISTS
FOR ()-[r:RELATES_TO]-()
ON r.fact_embedding
WITH [r.group_id]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: $quantization,
  `vector.default_search_expansion_factor`: $expansion
}}
