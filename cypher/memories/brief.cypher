// Describe memory `m` in brief, in the map `memory`; with the text it had then.
//
// access  fragment
// include time/text_known
WITH *, {
  memory_id: m.uuid,
  content: coalesce(version.content,
    // include memories/whole
  ),
  memory_type: m.memory_type,
  tags: m.tags,
  importance: m.importance,
  lifecycle_state: m.lifecycle_state,
  created_at: split(toString(m.created_at), '[')[0],
  valid_at: m.valid_at,
  invalid_at: m.invalid_at
} AS memory
