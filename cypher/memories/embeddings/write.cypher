// Store new vectors of memories, unless their content changed in between and has its own vectors.
//
// access  write
// param   group_id   : STRING — the tenant
// param   memories   : LIST<MAP> — memory_id, content, content_hash, embedding,
//                      word_vectors and passages; sorted by id
// param   model      : STRING
// param   dimensions : INTEGER
// returns memory_id : STRING
UNWIND $memories AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
// include fragments/memory/lock
WHERE coalesce(m.content_hash = row.content_hash, m.content = row.content)
SET m.embedding_model = $model, m.embedding_dimension = $dimensions
WITH m, toFloatList(row.embedding) AS vector, row.word_vectors AS words,
     row.passages AS passages
// include fragments/memory/embed
RETURN m.uuid AS memory_id
