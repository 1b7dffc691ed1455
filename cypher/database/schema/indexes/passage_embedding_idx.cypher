// Find passages of long memories by their meaning, within a group.
//
// access  schema
// param   dimensions   : INTEGER — width of an embedding
// param   quantization : STRING — NONE, SCALAR or BINARY
// param   expansion    : FLOAT [1] — candidates examined per result, >= 1
// source  quantization NONE: the default, BINARY, finds 20-85 % of the exact top ten
CREATE VECTOR INDEX passage_embedding_idx IF NOT EXISTS
FOR (n:Passage)
ON n.embedding
WITH [n.group_id]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: $quantization,
  `vector.default_search_expansion_factor`: $expansion
}}
