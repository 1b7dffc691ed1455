// Replace or remove the parent of memory `m`.
//
// access  fragment
// param   group_id : STRING — the tenant
// param   changes  : MAP — parent_id; without it the parent stays, unless it is cleared
// param   cleared  : LIST<STRING>
// param   now      : STRING — ISO 8601, UTC
CALL (m) {
  MATCH (m)-[former:HAS_PARENT]->(other)
  WHERE 'parent_id' IN $cleared OR other.uuid <> $changes.parent_id
  DELETE former
}
CALL (m) {
  MATCH (parent:Memory {uuid: $changes.parent_id, group_id: $group_id})
  WHERE parent.soft_deleted_at IS NULL
  MERGE (m)-[link:HAS_PARENT]->(parent)
  ON CREATE SET link.created_at = datetime($now)
}
