// Store episodes as Graphiti read them.
//
// access  write
// param   episodes : LIST<MAP> — the properties below
UNWIND $episodes AS row
MERGE (e:Episodic {uuid: row.uuid})
SET
  e.name = row.name,
  e.group_id = row.group_id,
  e.source = row.source,
  e.source_description = row.source_description,
  e.content = row.content,
  e.entity_edges = row.entity_edges,
  e.created_at = row.created_at,
  e.valid_at = row.valid_at
