// Turn memories that were exported as entities of Graphiti into entities again.
//
// Only memories unchanged since their creation are restored, so a repeated import changes nothing.
//
// access  write
// param   group_id : STRING — the tenant
// param   entities : LIST<MAP> — memory_id, properties below, labels, attributes; sorted by id
// param   now      : STRING — ISO 8601, UTC
UNWIND $entities AS row
MATCH (m:Memory {uuid: row.memory_id, group_id: $group_id})
WHERE m.access_count = 0 AND m.state_reason = 'created' AND datetime(m.updated_at) = m.created_at
SET m:$(row.labels)
SET
  m.adopted_at = $now,
  m.name = row.name,
  m.summary = row.summary,
  m.valid_at = row.valid_at,
  m.name_embedding_model = ''
FOREACH (key IN keys(row.attributes) | SET m[key] = row.attributes[key])
