// Store vectors of the texts of facts; vectors of other models are set aside for a release.
//
// access  write
// param   group_id : STRING — the tenant
// param   rows     : LIST<MAP> — id, text and embedding; sorted by id
// param   model    : STRING
// returns id : STRING — id of each fact whose text is unchanged
UNWIND $rows AS row
MATCH ()-[r:RELATES_TO {uuid: row.id}]->()
WHERE r.group_id = $group_id AND r.fact = row.text
FOREACH (_ IN CASE
    WHEN r.embedding_model IS NULL AND r.adopted_at IS NOT NULL AND r.had_vector IS NULL
    THEN [1] ELSE [] END |
  SET r.had_vector = true, r.was_fact_embedding = r.fact_embedding
)
SET r.embedding_model = $model
WITH r, toFloatList(row.embedding) AS vector
CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', vector)
RETURN r.uuid AS id
