// List the actions of a confidence scan on memories.
//
// access  read
// param   group_id   : STRING — the tenant
// param   memory_ids : LIST<STRING>? — only these; null for all; null for all
// param   project_id : STRING? — only of this project; null for all
// param   after_id   : STRING — last id of the previous batch; empty for the first
// param   limit      : INTEGER
// returns memory_id           : STRING
// returns kind                : STRING — skip, decay or obsolete
// returns reason              : STRING
// returns delta               : FLOAT?
// returns current_confidence  : FLOAT?
// returns proposed_confidence : FLOAT?
// returns age_days            : FLOAT
// returns access_count        : INTEGER
MATCH (m:Memory {group_id: $group_id})
USING INDEX m:Memory(group_id, uuid)
WHERE m.soft_deleted_at IS NULL AND m.lifecycle_state <> 'EXPIRED' AND m.uuid > $after_id
  AND ($memory_ids IS NULL OR m.uuid IN $memory_ids)
  AND ($project_id IS NULL OR m.project_id = $project_id) AND
  // include fragments/maintenance/in_canary
WITH m ORDER BY m.group_id, m.uuid LIMIT $limit
// include fragments/maintenance/confidence_step
RETURN m.uuid AS memory_id, kind, reason,
       CASE kind WHEN 'decay' THEN step END AS delta,
       m.confidence AS current_confidence,
       CASE kind WHEN 'decay' THEN lowered END AS proposed_confidence,
       age_days, m.access_count AS access_count
ORDER BY memory_id
