// Return whether a memory can be the parent of another one of its group.
//
// access  read
// param   group_id  : STRING — the tenant
// param   memory_id : STRING — the child
// param   parent_id : STRING
// returns circular : BOOLEAN — whether the memory is the parent, or above it
MATCH (parent:Memory {uuid: $parent_id, group_id: $group_id})
WHERE parent.soft_deleted_at IS NULL
RETURN parent.uuid = $memory_id OR EXISTS {
  MATCH (parent)-[:HAS_PARENT]->+(above:Memory) WHERE above.uuid = $memory_id
} AS circular
