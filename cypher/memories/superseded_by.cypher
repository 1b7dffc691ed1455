// Name the memory that holds instead of memory `m`, the latest of several.
//
// An expression.
//
// access  fragment
// param   group_id : STRING — the tenant
head(COLLECT {
  MATCH (winner:Memory)-[over:RELATES_TO {name: 'supersedes'}]->(m)
  WHERE winner.group_id = $group_id AND winner.soft_deleted_at IS NULL AND over.expired_at IS NULL
  RETURN winner.uuid ORDER BY over.created_at DESC
})
