// Store vectors of the names of entities; vectors of other models are set aside for a release.
//
// access  write
// param   group_id : STRING — the tenant
// param   rows     : LIST<MAP> — id, text and embedding; sorted by id
// param   model    : STRING
// returns id : STRING — id of each entity whose name is unchanged
UNWIND $rows AS row
MATCH (m:Memory {uuid: row.id, group_id: $group_id})
// include fragments/memory/lock
WHERE m.name = row.text
CALL (m) {
  WITH m WHERE m.name_embedding_model IS NULL
  MERGE (was:EntityBefore {uuid: m.uuid})
  ON CREATE SET was.group_id = m.group_id, was.was_memory = false
  WITH m, was WHERE was.had_vector IS NULL
  SET was.had_vector = true, was.was_name_embedding = m.name_embedding
}
SET m.name_embedding_model = $model
WITH m, toFloatList(row.embedding) AS vector
CALL db.create.setNodeVectorProperty(m, 'name_embedding', vector)
RETURN m.uuid AS id
