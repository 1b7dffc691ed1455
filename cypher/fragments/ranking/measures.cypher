// Measure `m` for a ranking: its similarity where there is none yet, and how densely it is related.
//
// One that has no vector yet counts as at right angles to every question.
//
// access  fragment
// param   vector        : VECTOR — the question, unit length
// param   density_boost : FLOAT [1] — 0: relations need not be counted
// include fragments/time/text_known
WITH m, version, distance,
     coalesce(
       near, vector.similarity.cosine(coalesce(version.embedding, m.embedding), $vector), 0.5
     ) AS similarity,
     CASE WHEN $density_boost > 0 THEN COUNT {
       MATCH (m)-[r:RELATES_TO]-(other:Memory)
       WHERE other.soft_deleted_at IS NULL AND
       // include fragments/time/relation_holds
     } ELSE 0 END AS degree
