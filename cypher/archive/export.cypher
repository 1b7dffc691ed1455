// List memories, the oldest first, with all that an import needs to make them again.
//
// access  read
// param   group_id         : STRING — the tenant
// param   after_created_at : STRING — of the last memory of the page before, ISO 8601, UTC
// param   after_id         : STRING — of the same; empty for the first page
// param   limit            : INTEGER
// returns line       : MAP
// returns title      : STRING
// returns created_at : STRING — as precise as it is stored, for the next page
MATCH (m:Memory {group_id: $group_id})
WHERE m.created_at >= datetime($after_created_at) AND m.soft_deleted_at IS NULL
WITH m
WHERE m.created_at > datetime($after_created_at) OR m.uuid > $after_id
// The group is named so that the index gives the order.
WITH m ORDER BY m.group_id, m.created_at, m.uuid LIMIT $limit
RETURN m {
  memory_id: m.uuid,
  .group_id, content:
    // include memories/whole
  , .memory_type, .tags,
  metadata: m.metadata_json,
  .importance, .stability, .confidence, .source, .project_id, .conversation_id,
  parent_id: head([(m)-[:HAS_PARENT]->(parent:Memory)
    WHERE parent.group_id = $group_id AND parent.soft_deleted_at IS NULL | parent.uuid]),
  .decay_policy, .decay_rate, .created_at, .valid_at,
  lifecycle: m {
    .lifecycle_state, .state_changed_at, .state_reason, .state_history,
    .preserve_until, .access_count, .last_accessed_at,
    .importance_source, .updated_at, .invalid_at
  },
  relationships: COLLECT {
    MATCH (m)-[r:RELATES_TO]->(other:Memory {group_id: $group_id})
    WHERE other.soft_deleted_at IS NULL AND r.expired_at IS NULL
    RETURN {
      target_id: other.uuid, relation_type: r.name,
      original_relation_type: r.original_relation_type, strength: r.strength, fact: r.fact,
      metadata: coalesce(r.metadata_json, '{}'),
      created_at: r.created_at, valid_at: r.valid_at, invalid_at: r.invalid_at
    } ORDER BY other.uuid, r.name
  }
} AS line, m.name AS title, toString(m.created_at) AS created_at
ORDER BY m.created_at, m.uuid
