// Describe memory `m` briefly, with the text of its `version`, or its present text if null.
//
// An expression.
//
// access  fragment
{
  memory_id: m.uuid,
  content: coalesce(version.content,
    // include fragments/memory/content
  ),
  memory_type: m.memory_type,
  tags: m.tags,
  importance: m.importance,
  lifecycle_state: m.lifecycle_state,
  created_at: split(toStringOrNull(m.created_at), '[')[0],
  valid_at: m.valid_at,
  invalid_at: m.invalid_at,
  attachments: m.attachments_json,
  brief: CASE WHEN version IS NULL THEN m.brief_json END,
  authority: CASE WHEN version IS NULL THEN m.origin_authority ELSE version.origin_authority END
}
