// Add to the history of memory `m` what has changed since its values were bound as `was`.
//
// Only names in `was` count. An entry is JSON with the instant first. It has no values of a
// content, because a version keeps the text. Long metadata and attachments are measured.
//
// access  fragment
// param   now   : STRING — ISO 8601, UTC
// param   decay : MAP — state_history_length, history_metadata_characters, and `by`: the cause
WITH *,
  // include fragments/change/values
  AS noted
WITH *, noted {
  .*, content: m.content_hash, title: m.name, lifecycle_state: m.lifecycle_state,
  purged_at: m.purged_at
} AS became
WITH *, [name IN [
    'content', 'title', 'metadata', 'attachments', 'tags', 'importance', 'memory_type',
    'stability', 'confidence', 'project_id', 'parent_id', 'decay_policy', 'decay_rate',
    'preserve_until', 'invalid_at', 'obsolete_reason', 'lifecycle_state', 'purged_at'
  ] WHERE name IN keys(was)
    AND NOT coalesce(was[name] = became[name], was[name] IS NULL AND became[name] IS NULL)
] AS names
FOREACH (_ IN CASE names WHEN [] THEN [] ELSE [1] END |
  SET m.edit_history = (coalesce(m.edit_history, []) + (
    '{"at": "' + $now + '", "by": "' + $decay.by + '", "changed": {' +
    reduce(entry = '', name IN names |
      entry + CASE entry WHEN '' THEN '' ELSE ', ' END + '"' + name + '": [' +
      reduce(pair = '', value IN [was[name], became[name]] |
        pair + CASE pair WHEN '' THEN '' ELSE ', ' END + CASE
          WHEN value IS NULL OR name = 'content' THEN 'null'
          WHEN name IN ['metadata', 'attachments']
            AND size(value) <= $decay.history_metadata_characters THEN value
          WHEN name IN ['metadata', 'attachments']
            THEN '"' + toString(size(value)) + ' characters"'
          WHEN name = 'tags' THEN '[' + reduce(list = '', tag IN value |
            list + CASE list WHEN '' THEN '' ELSE ', ' END +
            '"' + replace(replace(tag, '\\', '\\\\'), '"', '\\"') + '"'
          ) + ']'
          WHEN value IS :: STRING
            THEN '"' + replace(replace(value, '\\', '\\\\'), '"', '\\"') + '"'
          ELSE toString(value)
        END
      ) + ']'
    ) + '}}'
  ))[-$decay.state_history_length..]
)
