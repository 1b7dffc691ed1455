// Store which entities episodes mention.
//
// access  write
// param   mentions : LIST<MAP> — uuid, source_node_uuid, target_node_uuid, group_id, created_at
UNWIND $mentions AS row
MATCH (e:Episodic {uuid: row.source_node_uuid})
MATCH (n:Entity {uuid: row.target_node_uuid})
MERGE (e)-[mention:MENTIONS {uuid: row.uuid}]->(n)
SET mention.group_id = row.group_id, mention.created_at = row.created_at
