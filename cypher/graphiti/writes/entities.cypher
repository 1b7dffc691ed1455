// Store the entities that Graphiti found; our properties of existing entities stay.
//
// Graphiti writes what it read before it asked the language model. So an existing entity gets only
// its summary, further labels and attributes from Graphiti. Every entity becomes a memory. A
// content made of the old summary follows the new one, and the old content stays as a version. A
// new text has the origin of the episode.
//
// access  write
// param   group_id : STRING — the tenant
// param   entities : LIST<MAP> — uuid, name, summary, created_at, labels, attributes, embedding,
//                    version_id and the row of fragments/memory/fill; sorted by id
// param   origin   : MAP — way_in, caller, authority, above and origin_id
// param   now      : STRING — ISO 8601, UTC
// param   model    : STRING — embedding model
// returns memory_id : STRING
UNWIND $entities AS row
MERGE (n:Entity {uuid: row.uuid})
ON CREATE SET n.group_id = $group_id, n.created_at = row.created_at, n.name = row.name
WITH n AS m, n, row
// include fragments/memory/lock
WHERE n.group_id = $group_id
WITH n, row, n:Memory AND n.lifecycle_state IS NOT NULL AS known,
  // include fragments/memory/entity_text
  AS told
WITH n, row, known, told, known AND told <> row.content
  AND (n.content = told OR n.is_compressed AND told STARTS WITH n.content) AS reworded
CALL (n, row, told, reworded) {
  WITH n AS m, told AS text, row.version_id AS version_id WHERE reworded
  // include fragments/memory/keep_version
}
SET n:$(row.labels)
SET n.summary = row.summary
FOREACH (key IN keys(row.attributes) | SET n[key] = row.attributes[key])
FOREACH (_ IN CASE WHEN reworded THEN [1] ELSE [] END |
  SET n.content = row.content, n.content_hash = row.content_hash, n.updated_at = $now,
      n.packing_due = CASE WHEN n.is_compressed THEN true ELSE n.packing_due END,
      n.embedding_model = null, n.content_gz = null, n.is_compressed = null, n.brief_json = null
)
FOREACH (_ IN CASE WHEN known THEN [] ELSE [1] END | SET n.adopted_at = $now)
FOREACH (_ IN CASE WHEN reworded OR NOT known THEN [1] ELSE [] END |
  SET n.origin_authority = CASE WHEN NOT known OR n.origin_authority IN $origin.above
        THEN $origin.authority ELSE n.origin_authority END,
      n.origin_way_in = $origin.way_in, n.origin_caller = $origin.caller,
      n.origin_id = $origin.origin_id
)
WITH n, row
// include fragments/memory/fill
SET n.adopted_hash = CASE WHEN n.content_hash = row.content_hash THEN row.content_hash
  ELSE n.adopted_hash END
WITH n AS m, n, row
// include decay/schedule
WITH n, toFloatList(row.embedding) AS vector
CALL (n, vector) {
  WITH n, vector WHERE vector IS NOT NULL
  SET n.name_embedding_model = $model
  WITH n, vector
  CALL db.create.setNodeVectorProperty(n, 'name_embedding', vector)
}
RETURN n.uuid AS memory_id
