// List the memories of a group whose mentions are to be read.
//
// That is, the text or the rules are not those of the last reading, or a mentioned entity is gone.
//
// access  read
// param   group_id : STRING — the tenant
// param   states   : LIST<STRING> — lifecycle states of the memories that count
// param   rules    : STRING — the rules, which begin a note of what was read
// returns memory_id : STRING
MATCH (m:Memory {group_id: $group_id})
WHERE m.lifecycle_state IN $states AND m.content_gz IS NULL
  AND toStringOrNull(m.content_hash) IS NOT NULL
  AND (coalesce(m.mentions_hash <> $rules + m.content_hash, true)
    OR coalesce(m.mention_count <> COUNT { (m)-[:HAS_MENTION]->() }, true))
  AND
  // include fragments/maintenance/in_canary
RETURN m.uuid AS memory_id
ORDER BY memory_id
