// Set the parents of memories in the same group, replacing earlier parents.
//
// Rows are processed one by one, because a memory may occur twice.
//
// access  write
// param   group_id : STRING — the tenant
// param   links    : LIST<MAP> — position, from_id and to_id; sorted by the ids
// param   now      : STRING — ISO 8601, UTC
// returns position : INTEGER — position of each link with existing ends
// returns created  : BOOLEAN — always false, because a parent is not a relation
UNWIND $links AS row
MATCH (m:Memory {uuid: row.from_id, group_id: $group_id})
MATCH (parent:Memory {uuid: row.to_id, group_id: $group_id})
WHERE parent.soft_deleted_at IS NULL
CALL (m, parent) {
  OPTIONAL MATCH (m)-[former:HAS_PARENT]->(other)
  WHERE other <> parent
  DELETE former
  WITH DISTINCT m, parent
  MERGE (m)-[link:HAS_PARENT]->(parent)
  ON CREATE SET link.created_at = datetime($now)
}
RETURN row.position AS position, false AS created
