// Fetch what is compared of a memory: its text, its vector and the conflicts settled already.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_id  : STRING
// param   characters : INTEGER — characters of the text that are read
// returns text     : STRING
// returns vector   : LIST<FLOAT>
// returns model    : STRING — the embedding model of the vector
// returns valid_at : STRING? — ISO 8601, UTC
// returns settled  : LIST<STRING> — ids: its own, and those of memories that supersedes or
//                    contradicts connects with it
MATCH (m:Memory {uuid: $memory_id, group_id: $group_id})
WHERE m.embedding_model IS NOT NULL AND
// include fragments/memory/has_cosine
RETURN left(coalesce(toStringOrNull(m.content), toStringOrNull(m.summary), ''), $characters)
         AS text,
       m.embedding AS vector, m.embedding_model AS model, m.valid_at AS valid_at,
       [m.uuid] + COLLECT {
         MATCH (m)-[r:RELATES_TO]-(other:Memory)
         WHERE r.name IN ['supersedes', 'contradicts']
         RETURN other.uuid
       } AS settled
