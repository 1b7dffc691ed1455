// Bind the `similarity` of memory `m` unless it is known as `near`, and its `degree`.
//
// A memory without a vector has cosine 0 to every question.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   density_boost : FLOAT [1] — 0 leaves relations uncounted
// include fragments/time/text_known
WITH m, version, distance,
     coalesce(
       near, vector.similarity.cosine(coalesce(version.embedding,
         // include fragments/memory/vector
       ), $vector), 0.5
     ) AS similarity,
     CASE WHEN $density_boost > 0 THEN COUNT {
       MATCH (m)-[r:RELATES_TO]-(other:Memory)
       WHERE other.soft_deleted_at IS NULL AND
       // include fragments/time/relation_holds
     } ELSE 0 END AS degree
