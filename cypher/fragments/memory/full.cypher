// Describe memory `m` as every tool shows it, in the map `memory`, with its text at `known_at`.
//
// Instants are returned as text, because the driver spends more time on temporal values than Neo4j
// on the rest of the query. The text leaves out the zone name that Graphiti may store; it keeps the
// offset.
//
// access  fragment
// include decay/score
// include fragments/time/text_known
WITH *, {
  memory_id: m.uuid,
  content: coalesce(version.content,
    // include fragments/memory/content
  ),
  memory_type: m.memory_type,
  tags: m.tags,
  importance: m.importance,
  importance_source: m.importance_source,
  stability: m.stability,
  confidence: m.confidence,
  source: m.source,
  metadata: m.metadata_json,
  attachments: m.attachments_json,
  brief: CASE WHEN version IS NULL THEN m.brief_json END,
  authority: CASE WHEN version IS NULL THEN m.origin_authority ELSE version.origin_authority END,
  group_id: m.group_id,
  project_id: m.project_id,
  conversation_id: m.conversation_id,
  parent_id: head([(m)-[:HAS_PARENT]->(parent:Memory) WHERE all(m IN [parent] WHERE
    // include fragments/time/memory_there
  ) | parent.uuid]),
  superseded_by: CASE WHEN m.obsolete_at IS NULL THEN null ELSE
    // include fragments/memory/superseded_by
  END,
  lifecycle_state: m.lifecycle_state,
  decay_score: faded,
  protection: protection,
  preserve_until: m.preserve_until,
  decay_policy: m.decay_policy,
  decay_rate: m.decay_rate,
  access_count: m.access_count,
  last_accessed_at: m.last_accessed_at,
  created_at: split(toStringOrNull(m.created_at), '[')[0],
  updated_at: m.updated_at,
  valid_at: m.valid_at,
  invalid_at: m.invalid_at,
  origin: head([stored IN [m] |
    // include fragments/origin/stored
  ]),
  copied_from: m.copied_from
} AS memory
