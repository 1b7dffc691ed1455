// Store the episodes that Graphiti read.
//
// access  write
// param   episodes : LIST<MAP> — properties, see below
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
