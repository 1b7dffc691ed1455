// Return the values of memory `m` whose changes its history keeps, in the order of the history.
//
// An expression. Texts are kept as versions, and states have a history of their own.
//
// access  fragment
{
  metadata: m.metadata_json,
  attachments: m.attachments_json,
  tags:
    // include fragments/memory/tags
  ,
  importance: m.importance,
  memory_type: m.memory_type,
  stability: m.stability,
  confidence: m.confidence,
  project_id: m.project_id,
  parent_id: head([(m)-[:HAS_PARENT]->(parent:Memory) | parent.uuid]),
  decay_policy: m.decay_policy,
  decay_rate: m.decay_rate,
  preserve_until: m.preserve_until,
  invalid_at: m.invalid_at,
  obsolete_reason: m.obsolete_reason
}
