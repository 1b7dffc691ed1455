// List memories, the oldest first, with all data that an import needs.
//
// An undo leaves the line of a memory as it was, so the entries of undos are left out.
//
// access  read
// param   group_id         : STRING — the tenant
// param   after_created_at : STRING — created_at of the last memory of the previous page
// param   after_id         : STRING — id of that memory; empty for the first page
// param   limit            : INTEGER
// param   types            : LIST<STRING> — our relation types; other names are facts of Graphiti
// param   owned            : LIST<STRING> — properties that are not attributes of an entity
// param   owned_of_facts   : LIST<STRING> — properties that are not attributes of a fact
// returns line       : MAP<ANY>
// returns title      : STRING? — null for an entity, which has a name
// returns created_at : STRING — in full precision, for the next page
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, created_at)
WHERE m.created_at >= datetime($after_created_at) AND m.soft_deleted_at IS NULL
// The order starts with the group so that the index provides it, and only the page is read.
WITH m ORDER BY m.group_id, m.created_at
WHERE m.created_at > datetime($after_created_at) OR m.uuid > $after_id
WITH m ORDER BY m.group_id, m.created_at, m.uuid LIMIT $limit
RETURN m {
  memory_id: m.uuid,
  .group_id, content:
    // include fragments/memory/content
  , .memory_type, .tags,
  metadata: m.metadata_json, attachments: m.attachments_json,
  .importance, .stability, .confidence, .source, .project_id, .conversation_id, .copied_from,
  parent_id: head([(m)-[:HAS_PARENT]->(parent:Memory)
    WHERE parent.group_id = $group_id AND parent.soft_deleted_at IS NULL | parent.uuid]),
  .decay_policy, .decay_rate, .created_at, .valid_at,
  lifecycle: m {
    .lifecycle_state, .state_changed_at, .state_reason, .state_history,
    edit_history: [entry IN m.edit_history WHERE NOT entry CONTAINS '", "by": "undo of run '],
    .preserve_until, .unprotected_at, .access_count, .last_accessed_at, .importance_source,
    .stability_source, .classification_status, .classification_attempts, .confidence_decayed_at,
    .updated_at, .invalid_at, .ended_at, .obsolete_at, .obsolete_reason,
    reinforcement_pending: CASE WHEN m.reinforcement_pending > 0 THEN m.reinforcement_pending END
  },
  versions: COLLECT {
    MATCH (m)-[:HAS_VERSION]->(v:MemoryVersion)
    RETURN v {.content, title: v.name, .created_at, .expired_at} ORDER BY v.expired_at, v.uuid
  },
  turns:
    // include fragments/memory/turns
  , relationships: COLLECT {
    MATCH (m)-[r:RELATES_TO]->(other:Memory)
    WHERE coalesce(other.group_id = $group_id, false) AND other.soft_deleted_at IS NULL
      AND r.adopted_at IS NULL AND r.name IN $types
    RETURN {
      target_id: other.uuid, relation_type: r.name,
      original_relation_type: r.original_relation_type, strength: coalesce(r.strength, 0.5),
      fact: r.fact, metadata: coalesce(r.metadata_json, '{}'), created_at: r.created_at,
      valid_at: r.valid_at, invalid_at: r.invalid_at, expired_at: r.expired_at
    } ORDER BY other.uuid, r.name, r.created_at, r.uuid
  },
  entity: CASE WHEN m.adopted_at IS NOT NULL THEN {
    name: m.name, summary: m.summary, labels: [label IN labels(m)
      WHERE label =~ '[A-Za-z_][A-Za-z0-9_]*' AND NOT label IN ['Entity', 'Memory']],
    attributes: [key IN keys(m) WHERE NOT key IN $owned | [key, m[key]]]
  } END,
  facts: COLLECT {
    MATCH (m)-[r:RELATES_TO]->(other:Memory)
    WHERE coalesce(other.group_id = $group_id, false) AND other.soft_deleted_at IS NULL
      AND (r.adopted_at IS NOT NULL OR NOT r.name IN $types)
    RETURN {
      target_id: other.uuid, fact_id: r.uuid, name: r.name, fact: r.fact,
      strength: coalesce(r.strength, 0.5), created_at: r.created_at, valid_at: r.valid_at,
      invalid_at: r.invalid_at, expired_at: r.expired_at, reference_time: r.reference_time,
      attributes: [key IN keys(r) WHERE NOT key IN $owned_of_facts | [key, r[key]]]
    } ORDER BY other.uuid, r.name, r.uuid
  }
} AS line, CASE WHEN m.adopted_at IS NULL THEN toStringOrNull(m.name) END AS title,
  toString(m.created_at) AS created_at
ORDER BY m.created_at, m.uuid
